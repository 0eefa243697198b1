"""The command `thymio-fleet`, one module for each subcommand; imports anything."""
