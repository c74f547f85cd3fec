"""Facts of language: who asks, and what the kinds of facts are called, a file a language."""
