"""Facts of language: what is no claim, a file a language."""
