"""Figures of studies for papers: vector graphics of a column's width, each with a table of its data."""
