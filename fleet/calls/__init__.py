"""How servers of robots are called, by whoever calls them: in steps that never wait."""
