"""Formulae of black holes and waves."""
