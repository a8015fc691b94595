"""What every server of sockets needs, whoever connects to it."""
