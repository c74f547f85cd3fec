"""The annotator's questions as a tree (Lassche et al., 2024, IV-B and Fig. 2)."""
