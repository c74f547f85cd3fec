"""Words that the heuristics go by: signal words, negations, scopes, vague phrases; a file a language."""
