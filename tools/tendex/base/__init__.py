"""What all tools share: files, tables, run folders, parameter files, the program."""
