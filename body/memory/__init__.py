"""Variables and commands in memory shared by several processes."""
