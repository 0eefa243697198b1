"""Storage of books of jobs; imports only what a book keeps."""
