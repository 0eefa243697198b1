"""What is kept of jobs: their records, the table of all, the book, and what a dispatcher inherits with it."""
