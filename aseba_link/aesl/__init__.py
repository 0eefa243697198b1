"""The Aseba language: from the code of a node to the words that its virtual machine executes."""
