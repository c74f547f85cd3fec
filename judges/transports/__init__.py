"""How typed questions reach a model, one module per transport; each renders questions and parses a reply, no more."""
