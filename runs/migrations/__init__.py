"""The store's tables, a file a version; a store of an earlier version gets those after its own."""
