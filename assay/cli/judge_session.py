"""A session of questions to a judge outside a run: its options, the judge, and the replies that are kept."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BudgetReached
from .options import Command, judge_option, with_asking, with_budget
from .output import end_at_ctrl_c

if TYPE_CHECKING:
    from ..judges import Cassette, LiteLLMJudge, Usage
    from ..judges.embedders import Embedder
    from ..runs import RunOptions


def with_judge_session(command: Command) -> Command:
    """Adds `--judge` and the options of a session: the command gets `judge: str | None` and `asking: RunOptions`."""
    return judge_option(with_budget(with_asking(command)))


class JudgeSession:
    """Who is asked in one session: a judge, perhaps further models, all with one cassette and one budget.

    Attributes:
        judge: The judge of `--judge`, if any.
        models: All models that were asked for, the judge among them.
        cassette: Where replies are recorded, if anywhere.
        is_unfinished: Set by a command when too many calls failed: the replies stay, so that the same command asks
            only the failed questions again.
    """

    def __init__(self, judge: str | None, options: "RunOptions", cassette: "Cassette | None") -> None:
        self.cassette = cassette
        self.is_unfinished = False
        self.models: list[LiteLLMJudge] = []
        self._budget = options.budget
        self._concurrency = options.concurrency
        self.judge = None if judge is None else self.model(judge)

    def model(self, name: str) -> "LiteLLMJudge":
        """The model of a bundled name, a settings file or a model string; the same object each time."""
        from ..judges import LiteLLMJudge, load_settings

        settings = load_settings(name)
        if self._concurrency:
            settings = settings.with_changes(concurrency=self._concurrency)
        for model in self.models:
            if model.settings == settings:
                return model
        judge = LiteLLMJudge(settings, cassette=self.cassette, budget=self._budget)
        judge.check_api_key()
        self.models.append(judge)
        return judge

    def embedder(self, name: str) -> "Embedder":
        """An embedder; the vectors of an API are recorded in the session's cassette."""
        from ..judges.embedders import load_embedder

        return load_embedder(name, self.cassette)

    @property
    def usage(self) -> "Usage":
        """What all models took."""
        from ..judges import Usage

        return Usage.total([model.usage for model in self.models])

    def usage_as_json(self) -> dict[str, Any]:
        """What all models took, in the shape of `assay run --json`."""
        from ..runs.show.results import usage_as_json

        return usage_as_json(self.usage)

    def usage_line(self) -> str:
        """What all models took, in one line."""
        from ..runs.show.run_report import session_line

        return session_line(self.usage)

    def close(self) -> None:
        """Merges what was recorded, and releases local models."""
        for model in self.models:
            model.close()
        if self.cassette is not None:
            self.cassette.close()


@contextmanager
def open_judge_session(judge: str | None, options: "RunOptions", out: Path) -> Iterator[JudgeSession]:
    """Opens a session, on the replies that an earlier one left: beside the output, until all is done."""
    from ..judges import Cassette

    kept_replies = out.with_name(f"{out.name}.replies")
    cassette = None if options.mode == "off" else Cassette(options.cassette or kept_replies, options.mode)
    session = JudgeSession(judge, options, cassette)
    kept = "all replies are kept: the same command goes on"
    try:
        with end_at_ctrl_c(lambda: kept):
            yield session
    except BudgetReached as error:
        raise BudgetReached(f"{error}; {kept}") from error
    else:
        session.close()
        if options.cassette is None and not session.is_unfinished:
            kept_replies.unlink(missing_ok=True)
    finally:
        session.close()


@contextmanager
def question_progress(judge: "LiteLLMJudge | None", total: int) -> Iterator[Callable[[bool], None]]:
    """Shows the progress of `total` questions; what it yields is called after each, with whether it was answered."""
    from ..runs import Progress
    from .output import live_progress

    progress = Progress(total, judge)
    with live_progress() as show:
        show(progress)

        def on_reply(is_answered: bool) -> None:
            progress.samples += 1
            progress.scores["scored" if is_answered else "failed"] += 1
            show(progress)

        yield on_reply
