"""Holes by their horizons."""
