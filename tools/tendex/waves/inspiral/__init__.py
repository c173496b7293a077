"""Orbits before the merger: eccentricity, and momenta that change it."""
