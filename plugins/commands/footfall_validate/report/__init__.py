"""``footfall report``: a law's report card."""
