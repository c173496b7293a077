"""What RESULTS.md and docs/studies show of runs: numbers and waves that are kept, tables, differences, figures."""
