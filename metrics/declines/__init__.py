"""Facts of language: how a chatbot says that it cannot answer, a file a language."""
