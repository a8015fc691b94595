"""Contact laws and impact models against closed forms and real tosses, with figures and reasons."""
