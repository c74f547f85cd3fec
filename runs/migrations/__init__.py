"""The store's tables, one file per version; a store of an earlier version gets the files after its own."""
