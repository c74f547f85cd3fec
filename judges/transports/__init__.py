"""How typed questions reach a model, one module per transport; each renders questions and parses a reply, no more."""

from ..litellm_lookup import is_decision_model
from ..settings import JudgeSettings
from .answer_list import Listed
from .decisions import Decisions
from .single import Single
from .systemone import SystemOne
from .transport import Transport

_TRANSPORTS: dict[str, Transport] = {
    "decisions": Decisions(),
    "systemone": SystemOne(),
    "listed": Listed(),
    "single": Single(),
}


def choose_transport(settings: JudgeSettings, *, together: bool = False) -> Transport:
    """Returns the transport of a judge, for questions that are parts of one answer (`together`) or not.

    By itself (`auto`) a model that litellm lists as a decision model is asked by its protocol; a chat model that gives
    log probabilities question by question, another one, or one asked questions together, with all in one call.
    """
    if settings.decide != "auto":
        return _TRANSPORTS[settings.decide]
    if is_decision_model(settings):
        return _TRANSPORTS["decisions" if settings.model.startswith("openai/") else "systemone"]
    return _TRANSPORTS["single" if settings.logprobs and not together else "listed"]
