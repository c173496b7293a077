"""Run folders, and files of waves that tendex-waves writes."""
