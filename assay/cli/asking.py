"""What commands share that ask a judge many questions outside a run: the options, the judge, its replies kept."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import BudgetReached, UsageError
from .exit_codes import INTERRUPTED
from .options import budget_options, judge_option

if TYPE_CHECKING:
    from ..judges import Cassette, LiteLLMJudge, Mode, Usage
    from ..judges.embedders import Embedder


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Who is asked, where replies are kept, and what it may take; as in `assay run`."""
    return judge_option(keeping_options(command))


def keeping_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where replies are kept, and what asking may take."""
    for option in reversed(
        (
            click.option("--cassette", type=click.Path(path_type=Path), help="File of recorded replies."),
            click.option(
                "--mode",
                type=click.Choice(["replay", "record", "auto", "off"]),
                help="With --cassette: replay (no model is asked), record, auto (what is missing). Default: auto.",
            ),
            click.option("--concurrency", type=click.IntRange(min=1), help="Calls at once; else as the judge says."),
            budget_options,
            click.option("--resume", is_flag=True, help="Go on where the budget, Ctrl-C or an error ended it."),
        )
    ):
        command = option(command)
    return command


class Sitting:
    """Who is asked in one sitting: the judge, perhaps further models, all with one cassette and one budget.

    A command sets `unfinished` where too many calls failed: then the replies stay, for `--resume` to ask only those.
    """

    def __init__(self, options: dict[str, Any], cassette: "Cassette | None") -> None:
        from ..judges import Budget

        self.cassette = cassette
        self.unfinished = False
        self._budget = Budget(options["budget_usd"], options["budget_tokens"], options["budget_calls"])
        self._concurrency = options["concurrency"]
        self.models: list[LiteLLMJudge] = []
        self.judge = self.model(options["judge"]) if options["judge"] else None

    def model(self, name: str) -> "LiteLLMJudge":
        """A model by name, settings file or model string; asked twice, it is the same."""
        from ..judges import LiteLLMJudge, load_settings

        settings = load_settings(name)
        if self._concurrency:
            settings = settings.with_changes(concurrency=self._concurrency)
        if (known := next((model for model in self.models if model.settings == settings), None)) is not None:
            return known
        self.models.append(LiteLLMJudge(settings, cassette=self.cassette, budget=self._budget))
        return self.models[-1]

    @property
    def usage(self) -> "Usage":
        """What all models took."""
        from ..judges import Usage

        return Usage.total([model.usage for model in self.models])

    def as_json(self) -> dict[str, Any]:
        """What it took, in the shape of `assay run --json`."""
        usage = self.usage
        return {name: getattr(usage, name) for name in ("calls", "from_cassette", "tokens_in", "tokens_out", "usd")}

    def told(self) -> str:
        """What it took, in one line."""
        from ..runs.report import cost

        usage = self.usage
        tokens = f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out"
        return f"{usage.calls} model calls, {usage.from_cassette} of them replayed; {tokens}; cost {cost(usage)}"

    def close(self) -> None:
        """Merges what was recorded, and lets local models go."""
        for model in self.models:
            model.close()
        if self.cassette is not None:
            self.cassette.close()


@contextmanager
def sitting_of(options: dict[str, Any], out: Path) -> Iterator[Sitting]:
    """A sitting by the options. Replies are kept beside `out` until all is done, or in the cassette.

    What ends it early is told with how to go on. Raises `UsageError` where replies of an earlier sitting lie there and
    `--resume` was not said.
    """
    from ..judges import Cassette

    mode: Mode = options["mode"] or "auto"
    if options["mode"] and mode != "off" and options["cassette"] is None:
        raise UsageError(f"--mode {mode} needs a --cassette")
    beside = out.with_name(f"{out.name}.replies")
    left = beside.exists() or any(beside.parent.glob(f"{beside.name}.*.recording"))
    if options["cassette"] is None and left and not options["resume"]:
        raise UsageError(
            f"{beside}: the replies of an earlier sitting lie here; go on with them (--resume), or remove the file"
        )
    cassette = None if mode == "off" else Cassette(options["cassette"] or beside, mode)
    sitting = Sitting(options, cassette)
    try:
        yield sitting
    except BudgetReached as reached:
        raise BudgetReached(f"{reached}; all replies are kept: go on with the same command and --resume") from reached
    except KeyboardInterrupt:
        click.echo("assay: interrupted; all replies are kept: go on with the same command and --resume", err=True)
        raise SystemExit(INTERRUPTED) from None
    else:
        sitting.close()
        if options["cassette"] is None and not sitting.unfinished:
            beside.unlink(missing_ok=True)
    finally:
        sitting.close()


@contextmanager
def counted(judge: "LiteLLMJudge | None", total: int, *, silent: bool) -> Iterator[Callable[[bool], None]]:
    """A live bar over `total` questions; what it gives is told after each whether it went well."""
    from ..runs import Progress
    from .progress import live_progress

    progress = Progress(total, judge)
    with live_progress(quiet=silent) as show:
        show(progress)

        def asked(well: bool) -> None:
            progress.samples += 1
            progress.scores["scored" if well else "failed"] += 1
            show(progress)

        yield asked


def embedder_for(options: dict[str, Any], sitting: Sitting) -> "Embedder":
    """The embedder of the options; vectors of an API are recorded in the sitting's cassette."""
    from ..judges.embedders import load_embedder

    return load_embedder(options["embedder"], sitting.cassette)
