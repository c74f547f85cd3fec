"""The patterns of message types, a file a language: the paper's lists, and the positional rules."""
