"""Maximum dissipation contact by contact, by bisection."""
