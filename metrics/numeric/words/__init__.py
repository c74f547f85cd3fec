"""The words of numerical claims, a file a language."""
