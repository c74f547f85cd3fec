"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError

KEPT_PROMPTS = "prompts.txt"  # in the store: the folder that `assay prompts use` chose


class _Place(click.ParamType[Any]):
    """A folder as a path, the URL of a server as it is."""

    name = "place"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | Path:
        """A path, but for a URL: a path would make one slash of its two."""
        return value if "://" in str(value) else Path(value)


store_option = click.option(
    "--store",
    type=_Place(),
    default=".assay",
    show_default=True,
    envvar="ASSAY_STORE",
    metavar="FOLDER|URL",
    help="Where the runs are kept: a folder, or postgresql://USER@HOST/DATABASE. Also: the variable ASSAY_STORE.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
metrics_option = click.option(
    "--metrics",
    default="faithfulness,answer_relevance",
    show_default=True,
    help="Names, with commas; options after colons (faithfulness:claims=judge:verdicts=listed). The baselines are "
    "always added.",
)
translate_option = click.option(
    "--translate",
    type=click.Choice(["judge", "deep-translator"]),
    help="Give English text to the heuristics that are better in English: by --judge, or by Google (network).",
)
embedder_option = click.option("--embedder", default="use", show_default=True, help="use, st:MODEL or litellm:MODEL.")
judge_option = click.option(
    "--judge", help="A bundled judge (qwen1.5b), a settings file (.yaml), gguf:PATH, or a litellm model string."
)


prompts_option = click.option(
    "--prompts",
    "prompts_folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with prompts of your own; if not given, what `assay prompts use` chose, else ours.",
)


def chosen_prompts(given: Path | None, store: Path | str) -> Path | None:
    """The folder of the user's own prompts: as typed, else as kept in the store by `assay prompts use`."""
    kept = Path(store) / KEPT_PROMPTS
    if given is None and kept.exists():
        return Path(kept.read_text(encoding="utf-8").strip())
    return given


def beside_runs(store: Path | str, name: str, instead: str) -> Path:
    """A file in the store's folder. Raises `UsageError` for a store on a server; `instead` says what to do there."""
    if isinstance(store, str):
        raise UsageError(f"a store on a server keeps no files; {instead}")
    return store / name


def set_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How sets are read."""
    for option in (
        click.option("--split", help="Which split of a set saved by `datasets` or on the Hub."),
        click.option("--limit", type=click.IntRange(min=1), help="At most so many samples of each set."),
        click.option("--map", "mapping", multiple=True, metavar="THEIRS=OURS", help="Rename a column; repeatable."),
        click.option("--language", help="Language (nl, en) of rows that name none; if not given, it is detected."),
    ):
        command = option(command)
    return command


def budget_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What live calls may take."""
    for option in (
        click.option("--budget-calls", type=click.IntRange(min=0), help="Stop before there are more live calls."),
        click.option("--budget-tokens", type=click.IntRange(min=0), help="Stop before live calls take more tokens."),
        click.option("--budget-usd", type=click.FloatRange(min=0), help="Stop before live calls cost more."),
    ):
        command = option(command)
    return command


def read_probes(typed: str, hint: str = "") -> list[str]:
    """`padded,injected` as typed, as names. Raises `UsageError` for one that no probe has; `hint` says how to write."""
    from ..generation.probes import PROBES

    names = [name.strip() for name in typed.split(",")]
    if unknown := [name for name in names if name not in PROBES]:
        raise UsageError(f"no probe is called {unknown[0]!r}; the probes are {', '.join(PROBES)}{hint}")
    return names


def read_mapping(pairs: tuple[str, ...]) -> dict[str, str]:
    """`question=user_input` as typed, as a mapping."""
    mapping = {}
    for pair in pairs:
        theirs, equals, ours = pair.partition("=")
        if not equals or not theirs or not ours:
            raise click.BadParameter(f"{pair!r}: write THEIRS=OURS, such as question=user_input", param_hint="--map")
        mapping[theirs.strip()] = ours.strip()
    return mapping


def read_metrics(names: str, translate: str | None = None) -> tuple[str, ...]:
    """`faithfulness,answer_relevance` as typed, as names; with `--translate` as an option of those that have it.

    Raises `UsageError` for a name that there is not (with `translate`), or when no metric can be translated for.
    """
    found = tuple(name.strip() for name in names.split(",") if name.strip())
    if translate is None:
        return found
    from ..metrics.catalogue import add_option

    given = tuple(add_option(name, "translate", translate) for name in found)
    if not any(f":translate={translate}" in name for name in given):
        raise UsageError(f"--translate {translate}: none of {', '.join(found)} reads a translation; heuristic does")
    return given
