"""Where robots are and will be: ways with times, and when places are taken; pure."""
