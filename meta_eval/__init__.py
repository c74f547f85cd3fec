"""Which measure to trust: how far scores, of Assay or of any other tool, agree with people's ratings."""
