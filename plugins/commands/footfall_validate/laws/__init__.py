"""Laws against closed forms: checks, studies of all of them, tables and figures."""
