"""The only readers of numbers, YAML, JSON and XML; whatever a text contains, they return or raise `TextError`."""
