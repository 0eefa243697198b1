"""Figures of studies for papers: vector graphics of a column's width, with the data of each figure beside it."""
