"""Vector field, inverse kinematics, joint control, limits and contact forces, as pure functions of the state."""
