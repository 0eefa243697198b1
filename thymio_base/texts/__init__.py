"""The only readers of numbers, YAML, JSON and XML; each returns, or raises `TextError`, whatever a text contains."""
