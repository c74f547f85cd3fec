"""How numbers, units and dates are written: words and signs, a file a language."""
