"""Statistics of studies: descriptions with confidence intervals, and paired tests, in words and tables."""
