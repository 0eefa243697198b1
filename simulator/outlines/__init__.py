"""Outlines of bodies, where they touch, and rays that meet them; pure; imports nothing above."""
