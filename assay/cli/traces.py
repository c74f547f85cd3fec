"""`assay traces`: what tracing tools keep of a chatbot in production."""

import click


@click.group()
def traces() -> None:
    """Pull the traces of a chatbot in production, and push scores to them."""
