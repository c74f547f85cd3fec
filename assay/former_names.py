"""Former names and what they are called now, and options that are gone and what to write instead.

To rename something that users type or that is recorded, change it everywhere and add a line to `FORMER_NAMES`.
To remove an option of a metric, add a line to `FORMER_OPTIONS`.
"""

import warnings
from collections.abc import Mapping
from typing import Final, Literal

Kind = Literal["command or option", "gate", "report"]

FORMER_NAMES: Final[Mapping[Kind, Mapping[str, str]]] = {
    # commands, options (without dashes) and their choices share one name space over all commands
    "command or option": {"ours": "bundled"},
    "gate": {"fall": "regression"},
    # keys and states in the reports of nightly runs that a store holds
    "report": {
        "night": "nightly_run",
        "told": "reason",
        "fall": "regression",
        "held": "passed",
        "fell": "failed",
        "gate fell": "gate failed",
    },
}

_VERDICTS = "leave it out; to ask about all claims in one request, write `decide: listed` in the judge's settings"
FORMER_OPTIONS: Final[Mapping[tuple[str, str], str]] = {
    # (metric, option): what to do instead
    ("faithfulness", "verdicts"): _VERDICTS,
    ("weakest_claim", "verdicts"): _VERDICTS,
}


class FormerNameWarning(FutureWarning):
    """A former name was used. The command line prints it as one line, once for each name."""


def current_name(kind: Kind, name: str) -> str:
    """Returns what a name that a user typed is called now, with a `FormerNameWarning` if it is a former name.

    Args:
        kind: What the name is of; one word may be a former name of one kind and a current name of another.
        name: The name as typed.

    Returns:
        The current name; `name` itself where it was never renamed.

    Example:
        >>> current_name("gate", "mean")
        'mean'
    """
    current = recorded_name(kind, name)
    if current != name:
        warnings.warn(
            f"the {kind} `{name}` is now called `{current}`: use the new name", FormerNameWarning, stacklevel=2
        )
    return current


def recorded_name(kind: Kind, name: str) -> str:
    """Returns what a recorded name is called now, without a notice: nobody can change what was recorded.

    Example:
        >>> recorded_name("report", "fell")
        'failed'
    """
    return FORMER_NAMES[kind].get(name, name)
