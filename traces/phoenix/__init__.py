"""Phoenix: its traces as samples, and annotations on them."""
