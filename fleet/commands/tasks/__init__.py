"""Commands that give robots tasks."""
