"""Public rated sets by name: where each is, how it is downloaded, and one reader per original form."""
