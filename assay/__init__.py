"""Assay: tests what a support chatbot's answers are made of."""
