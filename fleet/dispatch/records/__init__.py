"""Data of jobs: their records, the table of all jobs, the book, and what a dispatcher inherits with it."""
