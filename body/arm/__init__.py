"""A simulated arm with the topics that its URDF names."""
