"""MLflow: its traces as samples, and feedback on them."""
