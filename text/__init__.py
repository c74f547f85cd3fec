"""Functions on strings: sentences, words, lemmas, quotes, entities, numbers; given a language where they need one."""
