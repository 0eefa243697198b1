"""The comparison of control laws on simulated plants, and its report; imports `lab`."""
