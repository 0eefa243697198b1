"""Books of jobs in files; imports what a book keeps."""
