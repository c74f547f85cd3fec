"""Facts of language: how dates, hours, amounts and addresses are written, a file a language."""
