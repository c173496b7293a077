"""Formats of catalogues, read and written, and waveform models."""
