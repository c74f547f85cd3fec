"""Recorded judge replies (data)."""
