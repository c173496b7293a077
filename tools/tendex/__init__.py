"""Reading and judging what a Tendex run wrote. Geometric units; lengths and times in M."""
