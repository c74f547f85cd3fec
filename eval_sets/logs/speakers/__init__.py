"""The words that say who speaks in a chat log, a file a language."""
