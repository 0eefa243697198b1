"""A simulated arm behind the topics of its URDF."""
