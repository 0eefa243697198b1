"""Correct servers, and servers with one fault each, for the conformance kit to judge."""
