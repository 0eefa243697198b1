"""Where a robot is: wheel odometry corrected by measured poses; pure; imports `settings` and `wheels`."""
