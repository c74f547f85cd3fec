"""Langfuse: its traces as samples, and scores on them."""
