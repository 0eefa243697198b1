"""Commands of the dashboard's users, and their outcomes. Pure."""
