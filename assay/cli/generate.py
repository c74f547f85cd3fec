"""`assay sets generate`: evaluation sets from documents, in one go or stage by stage."""

import click

# The name of the command behind `assay sets generate DOCS`: nothing to type, nothing in its usage line. A file of its
# own adds it with `@generate.command(WHOLE, hidden=True)`, and further stages with `@generate.command()`.
WHOLE = ""


class _StagesOrWhole(click.Group):
    """A group whose commands are the stages; what names none of them goes to the command of the whole."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts the whole's name before what was typed, unless a stage or the group's own help was asked for."""
        asked = args[0] if args else "--help"
        if asked not in self.commands and asked not in ctx.help_option_names and WHOLE in self.commands:
            args = [WHOLE, *args]
        return super().parse_args(ctx, args)


@click.group(
    cls=_StagesOrWhole, options_metavar="DOCS [OPTIONS]\n       assay sets generate", subcommand_metavar="STAGE ..."
)
def generate() -> None:
    """Make an evaluation set from documents.

    Questions and answers about DOCS, answerable and unanswerable.

    Each stage is also a command of its own, that reads and writes files which one can look at.

    \b
    assay sets generate leaflets/ --judge openai/gpt-4o-mini -o leaflets.jsonl
    assay sets generate leaflets/ --help
    assay sets generate sections leaflets/ -o sections.jsonl
    """
