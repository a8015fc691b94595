"""The web server: pages, their requests and their messages."""
