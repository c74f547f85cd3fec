"""The annotator's questions as a tree (001, section IV-B and Fig. 2)."""
