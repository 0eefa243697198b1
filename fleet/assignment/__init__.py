"""Finds out which robot had best do which jobs, in which order; imports no other room of the fleet."""
