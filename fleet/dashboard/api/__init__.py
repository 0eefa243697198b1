"""The API for programs: its document, its routes and its answers come from one table."""
