"""The local web application: people rate answers, people look at runs."""
