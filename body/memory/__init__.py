"""Variables and commands in memory that several processes share."""
