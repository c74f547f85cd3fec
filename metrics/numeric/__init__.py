"""Numerical claims checked against what is computed from tables."""
