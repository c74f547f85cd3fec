"""Options that several commands share: kinds of values, single ones, and groups that reach the command as one value."""

import functools
import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import InputError, UsageError
from .output import echo, set_flag

if TYPE_CHECKING:
    from ..eval_sets import Sample
    from ..judges import Budget
    from ..web.server import SiteAddress

Command = TypeVar("Command", bound=Callable[..., Any])

_NAME = re.compile(r'(?:"[^"]*"|[^,"]|")+')  # up to a comma that stands between no quotes


MOST = 1_000_000_000
MOST_CALLS_AT_ONCE = 10_000
"""As the settings of a judge allow."""
MOST_TOKENS = 10**15
MOST_RESAMPLES = 1_000_000
MOST_REPEATS = 1000


class BoundedCount(click.IntRange):
    """A whole number; the help names the least one, and only the error the largest."""

    def __init__(self, least: int = 1, most: int = MOST) -> None:
        super().__init__(min=least)
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; fails where it is out of bounds."""
        number: int = super().convert(value, param, ctx)
        if number > self._most:
            self.fail(f"{number} is too large; write {self._most:,} or less.", param, ctx)
        return number


class FiniteRange(click.FloatRange):
    """A number in a range, neither NaN nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; fails where it is none to reckon with."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number that can be reckoned with; write 4 or 4.5.", param, ctx)
        return number


SEED = BoundedCount(0, 2**32 - 1)


class OutputFile(click.Path):
    """A file to write, as a path."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; fails where something is there that no file may take the place of."""
        from ..atomic_files import check_replaceable

        path = Path(str(super().convert(value, param, ctx)))
        is_optional = isinstance(param, click.Option) and not param.required
        try:
            check_replaceable(path, param.opts[-1] if param is not None and is_optional else "")
        except UsageError as error:
            self.fail(f"{error}.", param, ctx)
        return path


class _ReportFile(OutputFile):
    """An .html file to write, in a folder that exists."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; refused before anything is done."""
        path: Path = super().convert(value, param, ctx)
        if path.suffix not in {".html", ".htm"} or not path.parent.is_dir():
            raise UsageError(f"{path}: name an .html file in a folder that exists")
        return path


OUTPUT_FILE = OutputFile()
REPORT_FILE = _ReportFile()


class FolderOrUrl(click.ParamType[Any]):
    """A folder as a path, the URL of a server as it is."""

    name = "place"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | Path:
        """A path, but for a URL: a path would make one slash of its two."""
        return value if "://" in str(value) else Path(value)


_ALL = "help_all"
_STORE = click.option(
    "--store",
    type=FolderOrUrl(),
    default=".assay",
    show_default=True,
    envvar="ASSAY_STORE",
    metavar="FOLDER|URL",
    help="Where the runs are kept: a folder, or postgresql://USER@HOST/DATABASE. Also: the variable ASSAY_STORE.",
)
_FLAGS = [
    click.option(*names, is_flag=True, expose_value=False, callback=set_flag, help=text)
    for names, text in (
        (("--wide",), "Print all columns of the tables: more than 80 wide."),
        (("-q", "--quiet"), "Show no progress, and not what was read as what."),
        (("--json", "as_json"), "Print JSON, for programs."),
    )
]


def add_shared_options(command: click.Command, *, has_json: bool) -> None:
    """Adds the options that all commands have: --store where its function takes one, --wide, --quiet and --json.

    Args:
        command: The command; not those below it.
        has_json: Whether it has a result to print; else --store alone is added.
    """
    typed = {name for parameter in command.params for name in parameter.opts}  # one command may have two names
    takes_store = command.callback is not None and "store" in inspect.signature(command.callback).parameters
    if takes_store and "--store" not in typed:
        _STORE(command)
    for option in _FLAGS if has_json and "--json" not in typed else ():
        option(command)
    if any(parameter.name == _ALL for parameter in command.params):
        _hide(command, ("--store", "--wide", "--quiet"))


seed_option = click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of all random choices.")
embedder_option = click.option("--embedder", default="use", show_default=True, help="use, st:MODEL or litellm:MODEL.")
judge_option = click.option(
    "--judge", help="A bundled judge (qwen1.5b), a settings file (.yaml), gguf:PATH, or a litellm model string."
)
concurrency_option = click.option(
    "--concurrency",
    type=BoundedCount(most=MOST_CALLS_AT_ONCE),
    help="Calls at once. Default: as the judge's settings say.",
)
max_failed_option = click.option(
    "--max-failed", type=BoundedCount(0), default=0, show_default=True, help="Failed samples allowed."
)


def option_group(
    keyword: str, group: Callable[..., Any] | str, *options: Callable[[Any], Any], further: Sequence[str] = ()
) -> Callable[[Command], Command]:
    """Makes a decorator that adds options to a command and gives it their values as one object.

    Args:
        group: What makes the object of the values by name; `dict` for a mapping that a function takes as it is. In
            words, as in "eval_sets.score_columns:ReadOptions", it is imported when the command runs.
        further: The names of values that other decorators give.
    """

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_group(*args: Any, **values: Any) -> Any:
            make = _import(group) if isinstance(group, str) else group
            grouped = {name: values.pop(name) for name in names}
            return command(*args, **values, **{keyword: make(**grouped)})

        wrapped: Any = with_group
        earlier = len(getattr(wrapped, "__click_params__", ()))
        for option in reversed(options):
            wrapped = option(wrapped)
        names = [*(parameter.name for parameter in wrapped.__click_params__[earlier:]), *further]
        return wrapped  # type: ignore[no-any-return]

    return decorate


def _import(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    made: Callable[..., Any] = getattr(import_module(f"..{module}", __package__), name)
    return made


def hide_advanced(*names: str) -> Callable[[click.Command], click.Command]:
    """Leaves options out of a command's `--help`, which its `--help-all` has too; they are typed as all others."""

    def show_all(context: click.Context, _option: click.Parameter, is_typed: bool) -> None:
        if is_typed:
            echo(advanced_help(context))
            context.exit()

    def decorate(command: click.Command) -> click.Command:
        _hide(command, names)
        command.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=show_all,
                help="Show this message with the advanced options too, and exit.",
            )
        )
        return command

    return decorate


def _hide(command: click.Command, names: Iterable[str]) -> None:
    for option in command.params:
        if isinstance(option, click.Option) and not set(names).isdisjoint(option.opts):
            option.hidden = True


def advanced_help(context: click.Context) -> str:
    """The help of a command with its advanced options; the names of an earlier version have no help, and stay out."""
    options = [each for each in context.command.params if isinstance(each, click.Option) and each.help and each.hidden]
    for option in options:
        option.hidden = False
    text = context.get_help()
    for option in options:
        option.hidden = True
    return text


def read_mapping(pairs: tuple[str, ...]) -> dict[str, str]:
    """Reads `question=user_input` as typed into a mapping.

    Example:
        >>> read_mapping(("question=user_input", "Mark (1 = bad, 5 = good) = rating"))
        {'question': 'user_input', 'Mark (1 = bad, 5 = good)': 'rating'}
    """
    mapping: dict[str, str] = {}
    for pair in pairs:
        theirs, equals, ours = (part.strip() for part in pair.rpartition("="))
        if not equals or not theirs or not ours:
            raise click.BadParameter(f"{pair!r}: write THEIRS=OURS, such as question=user_input", param_hint="--map")
        mapping[theirs] = ours
    return mapping


@dataclass(frozen=True, slots=True)
class SetOptions:
    """How sets are read."""

    mapping: Mapping[str, str] = field(default_factory=dict)
    language: str | None = None  # the language of rows that name none; None to detect it
    limit: int | None = None  # at most so many samples of each set
    sheet: str | None = None
    header_row: int | None = None  # which row of a CSV or Excel file names the columns, 0 for none
    scale: tuple[float, float] | None = None  # the rating scale; None for what the file says

    def samples(self, sets: Iterable[str]) -> "Iterator[Sample]":
        """The samples of several sets, one by one. Raises `InputError` at the first row that cannot be read."""
        from ..eval_sets import read_set

        for source in sets:
            yield from read_set(source, **asdict(self))


map_option = click.option(
    "--map",
    "mapping",
    multiple=True,
    metavar="THEIRS=OURS",
    callback=lambda _context, _option, pairs: read_mapping(pairs),
    help="Rename a column; repeatable.",
)
level_option = click.option(
    "--level",
    type=click.Choice(("conversation", "turn")),  # as in eval_sets.levels
    help="With runs of conversations: what is evaluated. Default: what is rated.",
)
sheet_option = click.option("--sheet", help="Which sheet of an Excel file.")
header_row_option = click.option(
    "--header-row",
    type=click.IntRange(0),
    metavar="N",
    help="Which row of a CSV or Excel file names the columns; 0: none does.",
)


def read_scale(_context: click.Context, _option: click.Parameter, typed: str | None) -> tuple[float, float] | None:
    """Reads `1-5` as typed into the lowest and the highest rating."""
    from ..eval_sets.number_rule import parse_scale

    return None if typed is None else parse_scale(typed)


scale_option = click.option(
    "--scale",
    metavar="LOW-HIGH",
    callback=read_scale,
    help="The rating scale. Default: as the file says, else the usual one that holds all ratings.",
)


# how the columns of a file are found; the command passes it on as `reading`
with_file_options = option_group("reading", dict, map_option, sheet_option, header_row_option)


def skip_bad_option(command: Command) -> Command:
    """Adds --skip-bad, which an error of one row then names."""

    @functools.wraps(command)
    def with_way_out(*args: Any, **values: Any) -> Any:
        try:
            return command(*args, **values)
        except InputError as error:
            if error.is_of_row and not values["skip_bad"]:
                raise InputError(f"{error}; --skip-bad leaves out the rows that cannot be read") from None
            raise

    wrapped: Any = with_way_out
    option = click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be read, and list them.")
    return option(wrapped)  # type: ignore[no-any-return]


with_set_options = option_group(
    "set_options",
    SetOptions,
    click.option("--language", help="Language (en, nl, de) of rows that name none. Default: it is detected."),
    map_option,
    click.option("--limit", type=BoundedCount(), help="At most so many samples of each set."),
    sheet_option,
    header_row_option,
    scale_option,
)


_BUDGET_UNITS: Mapping[str, click.ParamType[Any]] = {
    "usd": FiniteRange(min=0),
    "tokens": BoundedCount(0, MOST_TOKENS),
    "calls": BoundedCount(0),
}
_AMOUNT = re.compile(r"(\d[\d_]*(?:\.\d+)?)\s*(usd|tokens?|calls?)", re.IGNORECASE)


def read_budget(typed: tuple[str, ...]) -> dict[str, float]:
    """Reads amounts as typed, each with its unit.

    Example:
        >>> read_budget(("1.50usd", "2000 tokens"))
        {'usd': 1.5, 'tokens': 2000}
    """
    amounts: dict[str, float] = {}
    for text in typed:
        match = _AMOUNT.fullmatch(text.strip())
        if match is None:
            raise click.BadParameter(f"{text!r}: write 1usd, 2000tokens or 50calls", param_hint="--budget")
        unit = {"token": "tokens", "call": "calls"}.get(match[2].lower(), match[2].lower())
        if unit in amounts:
            raise click.BadParameter(f"there are two amounts of {unit}; give one", param_hint="--budget")
        amounts[unit] = _BUDGET_UNITS[unit].convert(match[1].replace("_", ""), None, None)
    return amounts


def _budget(
    budgets: dict[str, float], budget_usd: float | None, budget_tokens: int | None, budget_calls: int | None
) -> "Budget":
    from ..judges import Budget

    typed = {"usd": budget_usd, "tokens": budget_tokens, "calls": budget_calls}
    amounts = {unit: amount for unit, amount in typed.items() if amount is not None} | budgets
    usd, tokens, calls = (amounts.get(unit) for unit in ("usd", "tokens", "calls"))
    return Budget(usd, None if tokens is None else int(tokens), None if calls is None else int(calls))


download_option = click.option("--yes", is_flag=True, help="Download without asking.")
with_budget = option_group(
    "budget",
    _budget,
    click.option(
        "--budget",
        "budgets",
        multiple=True,
        metavar="AMOUNT",
        callback=lambda _context, _option, typed: read_budget(typed),
        help="Stop before live calls cost or take more: 1usd, 2000tokens, 50calls; repeatable.",
    ),
    # as they were typed in 0.2; they go on for this release
    click.option("--budget-usd", type=FiniteRange(min=0), hidden=True),
    click.option("--budget-tokens", type=BoundedCount(0, MOST_TOKENS), hidden=True),
    click.option("--budget-calls", type=BoundedCount(0), hidden=True),
)


with_asking = option_group(
    "asking",
    "runs.score.scoring_request:RunOptions",
    click.option("--cassette", type=click.Path(path_type=Path), help="File of recorded replies."),
    click.option(
        "--mode",
        type=click.Choice(["replay", "record", "auto", "off"]),
        default="auto",
        show_default=True,
        help="With --cassette: replay (no model is asked), record (all anew), auto (what is missing).",
    ),
    concurrency_option,
    further=("budget",),
)
"""How a judge is asked, as `RunOptions`; the command has `with_budget` below it."""

replay_option = click.option("--mode", type=click.Choice(["replay", "auto"]), default="auto", show_default=True)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Where the pages of a command are served, and whether its earlier links end."""

    host: str
    port: int
    proxy: str | None
    new_links: bool

    def read_site(self) -> "SiteAddress":
        """Where the pages are."""
        from ..web.server import SiteAddress

        return SiteAddress(self.host) if self.proxy is None else SiteAddress.behind_proxy(self.host, self.proxy)


def server_options(port: int) -> Callable[[Command], Command]:
    """The options of a command that serves pages, which gets them as `server`."""
    return option_group(
        "server",
        ServerOptions,
        click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on."),
        click.option(
            "--port", type=click.IntRange(0, 65535), default=port, show_default=True, help="Port; 0 takes a free one."
        ),
        click.option(
            "--behind-proxy",
            "proxy",
            metavar="URL",
            help="What people open where a proxy on this machine stands before the server (https://rate.example.org).",
        ),
        click.option("--new-links", is_flag=True, help="End all links and sessions so far, and print new links."),
    )


def path_in_store(store: Path | str, name: str, instead: str) -> Path:
    """A file in the store's folder. Raises `UsageError` for a store on a server; `instead` says what to do there."""
    if isinstance(store, str):
        raise UsageError(f"a store on a server keeps no files; {instead}")
    return store / name


def read_metrics(typed: str | None, *, has_judge: bool = True) -> tuple[str, ...]:
    """Reads `faithfulness,weakest_claim` as typed into names; without it those that a run has by default."""
    if typed is None:
        from ..metrics.catalogue import default_metrics

        return default_metrics(has_judge=has_judge)
    return tuple(name.strip() for name in _NAME.findall(typed) if name.strip())
