"""From psi4 through spheres to waves at infinity."""
