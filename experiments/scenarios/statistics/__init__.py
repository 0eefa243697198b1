"""Statistics of studies: descriptions with intervals, paired tests, and both in words and tables."""
