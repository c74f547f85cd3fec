"""What every page of Assay shares, in a file or from the server: figures, axes, charts, tables, evidence, the style."""
