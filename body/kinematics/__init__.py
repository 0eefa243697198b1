"""Forward kinematics and Jacobians of any tree of joints."""
