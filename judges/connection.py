"""The connection to one model: where it is, and the limit and the budget that its calls count in."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from ..errors import JudgeUnavailable
from ..value_messages import check_type
from ..worker_threads import call_beside
from .alignment import load_calibrations
from .budget import ACCEPTED_BUDGET, Budget, measure_question
from .cassette import Cassette, Mode, QuestionKeys, Recording, explain_miss, make_recording
from .completion import complete
from .entailment import classify
from .fast_path import acompletion
from .litellm_lookup import known_price
from .python_model import JudgeFunction, OpenAIClient, PythonModel, open_python_model
from .question import Question, RawReply
from .retry import AdaptiveLimiter, is_too_many, run_slot
from .settings import ENTAIL, GGUF, PYTHON, JudgeSettings, load_settings
from .transports.entail import refuse
from .usage import LostCalls

ModelLike: TypeAlias = str | Path | JudgeSettings | JudgeFunction | OpenAIClient
"""Which model judges: a name as for `--judge`, a settings file, `JudgeSettings`, a function or a client of `openai`."""


class Connection:
    """A model that was opened, and what all runs that ask it share.

    Attributes:
        source: What it was opened from, with these `overrides` of its settings.
        python_model: The model where it is a Python object.
        limiters: How many calls run at once, per event loop.
        notices: What was said once.
    """

    def __init__(
        self,
        source: ModelLike,
        cassette: Cassette | str | Path | None,
        mode: Mode,
        budget: Budget | None,
        overrides: Mapping[str, Any],
    ) -> None:
        check_type("cassette", cassette, (Cassette, str, Path, type(None)), "the path of a file, or a Cassette")
        check_type("budget", budget, (Budget, type(None)), ACCEPTED_BUDGET)
        self.source, self.overrides = source, dict(overrides)
        changes = dict(overrides)
        self.python_model: PythonModel | None = None
        if isinstance(source, (str, Path)):
            settings = load_settings(str(source))
        elif isinstance(source, JudgeSettings):
            settings = source
        else:
            self.python_model = open_python_model(source, changes.pop("model", None), is_recorded=cassette is not None)
            settings = self.python_model.settings
        self.settings = settings = settings.with_changes(**changes)
        self.cassette = Cassette(cassette, mode) if isinstance(cassette, (str, Path)) else cassette
        self.is_replaying = self.cassette is not None and self.cassette.mode == "replay"
        self.budget = budget or Budget()
        self.keys = QuestionKeys(settings)
        self.calibrations = {} if settings.aligned is None else load_calibrations(settings.aligned)
        self.notices: set[str] = set()
        self.limiters: WeakKeyDictionary[asyncio.AbstractEventLoop, AdaptiveLimiter] = WeakKeyDictionary()
        self._recorded: list[Recording] | None = None
        self._send = acompletion if self.python_model is None else self.python_model.complete
        self._local_server: Any = None

    def explain_miss(self, question: Question[Any]) -> str:
        """What is said where the cassette, which is read whole at the first miss, has no recording of a question."""
        assert self.cassette is not None, "a cassette is replayed"
        nothing = RawReply(self.settings.identity, "")
        if self._recorded is None:  # without what the replies say
            self._recorded = [
                replace(each, reply=replace(nothing, model=each.reply.model)) for each in self.cassette.recordings()
            ]
        missing = make_recording("", question, self.settings.parameters, nothing)
        return explain_miss(self.cassette, self._recorded, missing)

    async def call(
        self,
        question: Question[Any],
        on_lost: Callable[[LostCalls], None] = lambda _: None,
        keep: Callable[[LostCalls], None] = lambda _: None,
    ) -> RawReply:
        """Asks the model once, as soon as there is room for one more call.

        Raises:
            JudgeError: The call broke within litellm.
            openai.OpenAIError, TimeoutError: The call failed.
        """
        if self.settings.model.startswith(ENTAIL) and question.support is None:
            raise refuse(self.settings.label, f"the prompt {question.prompt.name}")
        limiter = self._limiter()
        async with limiter.slot() as ticket, run_slot():
            price = known_price(self.settings)
            size = measure_question(question, self.settings, price)
            async with self.budget.spend(size, on_lost, keep) as call:
                try:
                    if question.support is not None:
                        call.reply = await call_beside(classify, self.settings, question.support)
                    else:
                        call.reply = await complete(question, self.settings, self._route(), size, self._send)
                except Exception as error:
                    if is_too_many(error):
                        limiter.halve(ticket)
                    raise
            limiter.count_success()
            return call.reply

    def close(self) -> None:
        """Lets a local model go."""
        self._local_server = None

    def _route(self) -> dict[str, Any]:
        settings = self.settings
        if settings.model.startswith(PYTHON) and self.python_model is None:
            raise JudgeUnavailable(
                f"{settings.identity} is a Python function: go on in Python, with evaluate(..., judge=...)"
            )
        if not settings.model.startswith(GGUF):
            return {"model": settings.model} | ({"api_base": settings.api_base} if settings.api_base else {})
        if self._local_server is None:
            from .local import LocalServer

            path = settings.model.removeprefix(GGUF)
            self._local_server = LocalServer(path, self._limiter().most, settings.context_tokens, settings.download)
        # litellm speaks the protocol `systemone` to servers of this provider, and `decisions` to those of OpenAI's
        provider = "hosted_vllm" if settings.decide == "systemone" else "openai"
        return {"model": f"{provider}/{settings.identity}", "api_base": self._local_server.api_base, "api_key": "none"}

    def _limiter(self) -> AdaptiveLimiter:
        loop = asyncio.get_running_loop()
        if loop not in self.limiters:
            self.limiters[loop] = AdaptiveLimiter(self._most_calls())
        return self.limiters[loop]

    def _most_calls(self) -> int:
        settings = self.settings
        if settings.model.startswith(ENTAIL):
            return 1  # a call takes all cores
        if not settings.model.startswith(GGUF):
            return settings.concurrency
        from .local import choose_slots

        return choose_slots(settings.concurrency)
