"""What tests of the customer's contract share: a client that knows nothing but the interface."""
