"""Opik: its traces as samples, and feedback scores on them."""
