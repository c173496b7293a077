"""Figures, pages and movies."""
