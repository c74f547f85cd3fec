"""The connection to one model: where it is, how many calls run at once, and the budget that they count in."""

import asyncio
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import JudgeUnavailable
from .budget import Budget
from .completion import complete
from .fast_path import acompletion
from .limiter import AdaptiveLimiter
from .litellm_lookup import known_price
from .python_model import PythonModel
from .question import Question, RawReply
from .request_size import measure_question
from .retry import is_too_many
from .settings import GGUF, PYTHON, JudgeSettings
from .usage import LostCalls


class Connection:
    """Makes calls to one model; all runs that use a judge share its connection.

    Attributes:
        budget: What the calls may take.
        limiters: How many calls run at once, per event loop.
        python_model: The model where it is a Python object.
    """

    def __init__(self, settings: JudgeSettings, budget: Budget, python_model: PythonModel | None = None) -> None:
        self.budget = budget
        self.limiters: WeakKeyDictionary[asyncio.AbstractEventLoop, AdaptiveLimiter] = WeakKeyDictionary()
        self.python_model = python_model
        self._settings = settings
        self._send = acompletion if python_model is None else python_model.complete
        self._local_server: Any = None

    async def call(self, question: Question[Any], on_lost: Callable[[LostCalls], None] = lambda _: None) -> RawReply:
        """Asks the model once, as soon as there is room for one more call.

        Raises:
            BudgetReached: The call does not fit into the budget.
            JudgeError: The call broke within litellm.
            openai.OpenAIError, TimeoutError: The call failed.
        """
        limiter = self._limiter()
        async with limiter.slot() as ticket:
            size = measure_question(question, self._settings, known_price(self._settings))
            async with self.budget.spend(size, on_lost) as call:
                try:
                    call.reply = await complete(question, self._settings, self._route(), size, self._send)
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
        settings = self._settings
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
        settings = self._settings
        if not settings.model.startswith(GGUF):
            return settings.concurrency
        from .local import choose_slots

        return choose_slots(settings.model.removeprefix(GGUF), settings.concurrency, settings.context_tokens)
