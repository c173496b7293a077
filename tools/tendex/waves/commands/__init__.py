"""The commands of tendex-waves."""
