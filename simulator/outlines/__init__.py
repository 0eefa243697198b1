"""Outlines of bodies, their contacts, and rays that hit them; pure; imports nothing above."""
