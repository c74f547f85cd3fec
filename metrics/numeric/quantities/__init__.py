"""Values in units: what one is in another, and when a stated value holds."""
