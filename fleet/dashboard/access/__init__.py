"""Who may see and command what, from where, and how often: pure."""
