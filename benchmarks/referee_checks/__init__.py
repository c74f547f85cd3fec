"""One simulation per promise of the statistics: populations whose truth is known, and how often Assay tells it."""
