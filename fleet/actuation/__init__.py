"""The response of wheels to commands, and one robot's chassis; pure; imports `localization` and `control`."""
