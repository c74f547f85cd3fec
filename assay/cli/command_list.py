"""The commands with their summaries, as the help lists them; a command's own module is imported when it is typed."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

import click

from .options import add_shared_options
from .output import echo_notice

COMMANDS: Final[Mapping[str, Mapping[str, str]]] = {
    "Start": {
        "demo": "See the main job on bundled answers, offline.",
        "init": "Look at FILE and write suite.yaml for it.",
    },
    "Score": {
        "run": "Judge sets and print how metrics agree with the ratings.",
        "show": "Show a run, or how one sample came by its scores.",
        "view": "Look at runs, answers and nightly runs in the browser.",
    },
    "Trust": {
        "rate": "Collect ratings of answers, or choices between two, on a page in the browser.",
        "meta": "Say which metric agrees with people's ratings, how far.",
        "judges": "List the judges, fetch a model, compare several, and make the card of one.",
        "decide": "Say which version wins, and whether that is sure.",
        "estimate": "Estimate the mean rating of many answers.",
    },
    "Guard": {
        "suite": "Run a suite: judge its sets and decide its gates.",
        "traces": "Pull the traces of a chatbot in production, and push scores to them.",
        "watch": "Watch a chatbot in production.",
    },
    "Material": {
        "sets": "List the bundled sets and the public rated ones, or make one from documents.",
        "metrics": "List the metrics, or describe one.",
        "cassettes": "Show recorded replies.",
    },
}
"""The commands by what they are for, in the order of the help, each with the first sentence of its own help."""

BELOW: Final[Mapping[str, tuple[str, ...]]] = {
    "run": ("batches",),
    "show": ("runs", "failures", "changes"),
    "rate": ("export",),
    "judges": ("align", "prompts"),
    "suite": ("accept",),
    "traces": ("pull", "push"),
    "sets": ("generate", "crosseval"),
    "metrics": ("list", "describe", "explain", "check"),
}
"""The commands below a command, as in `assay show runs`, beside those that its own module adds."""

_GROUPS: Final = frozenset({"cassettes", "judges", "sets", "traces"})

RENAMED: Final[Mapping[str, str]] = {
    "accept": "suite accept",
    "align": "judges align",
    "batch": "run batches",
    "compare": "show changes",
    "crosseval": "sets crosseval",
    "failures": "show failures",
    "generate": "sets generate",
    "heuristic": "metrics",
    "numeric": "metrics",
    "prompts": "judges prompts",
    "pull": "traces pull",
    "push": "traces push",
    "ratings": "rate export",
    "runs": "show runs",
}
"""What commands of 0.2 are called now. The earlier name goes on for this release, and says the new one."""

_PLACES: Final[Mapping[str, str]] = {
    "metrics": "listings",
    "metrics check": "numeric",
    "metrics describe": "listings.metrics",
    "metrics explain": "heuristic",
    "metrics list": "listings.metrics",
    "rate export": "rate",
    "run batches": "batch",
    "show": "viewing",
    "show changes": "viewing",
    "show runs": "listings",
    "suite accept": "suite",
    "traces": "pull.traces",
    "view": "viewing",
}
"""The module of a command that is not in the one of its name."""


_WITHOUT_RESULT: Final = frozenset({"init", "judges prompts copy", "judges prompts show", "rate", "view"})
"""The commands that write a file, or serve pages, and have nothing to print for programs."""


class CommandList(click.Group):
    """Lists the commands by what they are for, and loads one when it is typed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names of all commands, in the order of the help; of two words where no group has the command."""
        below = {name: [f"{name} {part}" for part in parts] for name, parts in BELOW.items() if name not in _GROUPS}
        return [each for name in _names() for each in (name, *below.get(name, ()))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns a command, which is imported for it, by its name or two words; None where there is none."""
        first, _, second = cmd_name.partition(" ")
        known = second in BELOW.get(first, ()) if second else first in _names()
        if cmd_name not in self.commands and known:
            command = _load(cmd_name)
            if cmd_name in _GROUPS and isinstance(command, click.Group):
                for name in BELOW.get(cmd_name, ()):
                    command.add_command(_load(f"{cmd_name} {name}"), name)
            elif cmd_name in BELOW:
                lines = [f"  assay {cmd_name} {part}" for part in BELOW[cmd_name]]
                command.epilog = "\n".join(("\b", "Further commands:", *lines))
            _share_options(command, cmd_name)
            self.add_command(command, cmd_name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds what was typed: a command, one below it, or one by its earlier name."""
        if args[0] in RENAMED:
            echo_notice(f"`assay {args[0]}` is now `assay {RENAMED[args[0]]}`")
            args = [*RENAMED[args[0]].split(), *args[1:]]
        typed = " ".join(args[:2])
        if len(args) > 1 and args[0] not in _GROUPS and (command := self.get_command(ctx, typed)):
            return typed, command, args[2:]
        if args[0] not in _names() and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], [*_names(), *RENAMED], 2, 0.6)
            meant = f" Did you mean {' or '.join(RENAMED.get(name, name) for name in near)}?" if near else ""
            raise click.UsageError(f"No such command {args[0]!r}.{meant} All commands: assay --help.", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes one list of commands per heading."""
        longest = max(map(len, _names()))
        for heading, summaries in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(longest), summary) for name, summary in summaries.items()])


def _names() -> Iterator[str]:
    return (name for summaries in COMMANDS.values() for name in summaries)


def _share_options(command: click.Command, name: str) -> None:
    below = command.commands if isinstance(command, click.Group) else {}
    if not below or command.invoke_without_command:  # type: ignore[attr-defined]
        add_shared_options(command, has_json=name not in _WITHOUT_RESULT)
    for own, part in below.items():
        _share_options(part, f"{name} {own}")


def _load(name: str) -> click.Command:
    own = name.rsplit(maxsplit=1)[-1]
    module, _, attribute = _PLACES.get(name, own).partition(".")
    command: click.Command = getattr(import_module(f".{module}", __package__), attribute or own)
    return command
