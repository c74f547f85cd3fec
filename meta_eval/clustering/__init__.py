"""Groups of texts by their vectors: Ward's clustering, how good the groups are, and how stable each of them is."""
