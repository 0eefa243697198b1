"""Storage of books of jobs; imports what a book keeps."""
