"""The pages of the history, and the style that they carry within them."""
