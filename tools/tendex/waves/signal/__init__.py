"""Modes of waves as functions of time, and what is computed from them."""
