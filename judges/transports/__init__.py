"""How typed questions reach a model, one module per transport; each renders questions and parses a reply, no more."""

from functools import cache

from ...errors import UsageError
from ..litellm_lookup import is_decision_model
from ..settings import ENTAIL, JudgeSettings
from .chat import Listed as Listed, Single as Single, Transport as Transport

_WITHOUT_REASON = {"single", "decisions", "systemone"}


def choose_transport(settings: JudgeSettings, *, reason: bool = False) -> Transport:
    """Returns the transport of a judge.

    By itself (`auto`) a model that litellm lists as a decision model is asked by its protocol; a chat model that gives
    log probabilities question by question, another one, or one asked with a `reason`, with all in one call.
    """
    if settings.model.startswith(ENTAIL):
        return _load("entail")
    if reason and (settings.decide in _WITHOUT_REASON or (settings.decide == "auto" and is_decision_model(settings))):
        raise UsageError(
            f"{settings.label}: a judge that answers with one word gives no reason; write `decide: listed` in its "
            "settings, or `reason: none`"
        )
    if settings.decide != "auto":
        return _load(settings.decide)
    if is_decision_model(settings):
        return _load("decisions" if settings.model.startswith("openai/") else "systemone")
    return _load("single" if settings.logprobs and not reason else "listed")


@cache
def _load(name: str) -> Transport:
    if name == "entail":
        from .entail import Entail

        return Entail()
    if name in {"decisions", "systemone"}:
        from .decisions import Decisions, SystemOne

        return Decisions() if name == "decisions" else SystemOne()
    return Single() if name == "single" else Listed()
