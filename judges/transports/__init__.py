"""How typed questions reach a model, one module per transport; each renders questions and parses a reply, no more."""

from ..settings import JudgeSettings
from .answer_list import Listed
from .single import Single
from .transport import Transport

_TRANSPORTS: dict[str, Transport] = {"listed": Listed(), "single": Single()}


def choose_transport(settings: JudgeSettings) -> Transport:
    """Returns the transport of a judge.

    By itself (`auto`) a model that litellm lists as a decision model is asked by its protocol; a chat model that gives
    log probabilities question by question, another with all questions in one call.
    """
    if settings.decide != "auto":
        return _TRANSPORTS[settings.decide]
    return _TRANSPORTS["single" if settings.logprobs else "listed"]
