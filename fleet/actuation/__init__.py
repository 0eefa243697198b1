"""How wheels respond to commands, and one robot's chassis; pure; imports `localization` and `control`."""
