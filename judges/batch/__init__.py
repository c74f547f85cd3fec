"""A provider's batch API: requests handed in as a file, answered within a day at a lower price."""
