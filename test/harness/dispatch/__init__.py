"""A fleet of scripted robots, and a dispatcher that gives them jobs."""
