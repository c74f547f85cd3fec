"""Tables as numbers: read from texts and files, their columns and rows, and what their times reach over."""
