"""How two or three waves differ."""
