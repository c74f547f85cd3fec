"""From a sentence to what it claims: constructions matched over what is known in its clauses."""
