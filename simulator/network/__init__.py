"""The simulated Aseba network and its radio; pure; imports `firmware`."""
