"""How typed questions reach a model, one module per transport; each renders questions and parses a reply, no more.

Transports are registered as metrics are: by an entry point, in the group `assay.transports`, that names a `Transport`
class. The name is what the setting `decide` of a judge takes.
"""

from functools import cache

from ...errors import UsageError
from ...installation import load_entry, registered_entries
from ..litellm_lookup import is_decision_model
from ..settings import ENTAIL, TRANSPORTS, JudgeSettings
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
    entries = registered_entries(TRANSPORTS)
    if name not in entries:
        raise UsageError(f"no transport is called {name!r} (`decide` of the judge); there are {', '.join(entries)}")
    transport = load_entry(entries[name])()
    if not isinstance(transport, Transport):
        raise UsageError(f"the transport {name} ({entries[name].value}) is no assay.judges.transports.Transport")
    return transport
