"""The commands with their summaries, as the help lists them; a command's own module is imported when it is typed."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

import click

COMMANDS: Final[Mapping[str, Mapping[str, str]]] = {
    "Evaluate": {
        "init": "Look at FILE and write suite.yaml for it.",
        "run": "Judge sets and print how metrics agree with the ratings.",
        "batch": "See or cancel the batches of `assay run --batch`.",
        "show": "Show a run, or how one sample came by its scores.",
        "view": "Look at runs, answers and nightly runs in the browser.",
        "compare": "Compare two runs: what the metrics say, and what your raters say.",
        "runs": "List the runs of a store, the newest first.",
        "demo": "See the main job on bundled answers, offline.",
    },
    "Trust": {
        "decide": "Say which version wins, and whether that is sure.",
        "meta": "Say which metric agrees with people's ratings, how far.",
        "align": "Let a judge learn from your team's ratings, if that helps.",
        "estimate": "Estimate the mean rating of very many answers.",
        "failures": "Group the bad answers of runs by why they are bad.",
        "judges": "List the judges, compare several, and make the card of one.",
        "rate": "Collect ratings of answers, or choices between two, on a page in the browser.",
        "ratings": "Show the progress of a rating, or write it as a set.",
        "heuristic": "Explain the heuristic score, without a model.",
    },
    "Production": {
        "pull": "Pull traces of a chatbot in production into a file for `assay run`.",
        "push": "Push the scores of a run to the traces that its answers came from.",
        "watch": "Watch a chatbot in production.",
    },
    "CI": {
        "suite": "Run a suite: judge its sets and decide its gates.",
        "accept": "Accept runs: the next nightly runs are compared with them.",
        "cassettes": "Show, check, compare and merge recorded replies.",
    },
    "Build sets": {
        "generate": "Make an evaluation set from documents.",
        "crosseval": "Ask a chatbot what it was given, and what it was not.",
        "sets": "List the bundled sets, and the public rated ones.",
    },
    "Tools": {
        "metrics": "List the metrics, or describe one.",
        "prompts": "Show the prompts, and try your own.",
        "numeric": "Compute the facts of a table, and check claims about it.",
    },
}
"""The commands by what they are for, in the order of the help, each with the first sentence of its own help."""

_MODULES: Final[Mapping[str, tuple[str, ...]]] = {
    "accept": ("suite",),
    "cassettes": ("cassettes", "cassette_files"),
    "compare": ("viewing",),
    "generate": ("generate", "generate_documents", "generate_questions", "generate_review", "generate_set"),
    "judges": ("judges", "judges_card"),
    "metrics": ("listings",),
    "ratings": ("rate",),
    "runs": ("listings",),
    "sets": ("listings", "set_downloads"),
    "show": ("viewing",),
    "view": ("viewing",),
}
"""The module of a command that is not in the one of its name, and further modules that add commands below it."""


class CommandList(click.Group):
    """Lists the commands by what they are for, and loads one when it is typed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names of all commands, in the order of the help."""
        return list(_names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns a command, which is imported for it; None where there is none of this name."""
        if cmd_name not in self.commands and cmd_name in _names():
            modules = [import_module(f".{name}", __package__) for name in _MODULES.get(cmd_name, (cmd_name,))]
            self.add_command(getattr(modules[0], cmd_name))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes one list of commands per heading."""
        longest = max(map(len, _names()))
        for heading, summaries in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(longest), summary) for name, summary in summaries.items()])


def _names() -> Iterator[str]:
    return (name for summaries in COMMANDS.values() for name in summaries)
