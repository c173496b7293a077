"""Runs whose orbits have the eccentricity that was asked for."""
