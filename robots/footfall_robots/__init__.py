"""The robots that come with Footfall: a folder each, with robot.toml, model and scenes."""
