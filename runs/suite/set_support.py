"""What a set supports as it is, and what it lacks for the rest, with the command for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...eval_sets.column_table import NAMES, is_known_metric, usual_name
from ...eval_sets.items import version_label
from ...eval_sets.turns import is_single_answer
from ...meta_eval.groups import FEWEST_TO_CHOOSE
from ...shell_words import join_words
from ...text.wording import count_of, verb_of

if TYPE_CHECKING:
    from .suite_draft import SetLook


@dataclass(frozen=True, slots=True)
class Support:
    """One thing that can be done with a set, or what it takes."""

    is_possible: bool
    purpose: str
    why: str  # how much of it there is, or what is missing
    command: str  # that does it, or brings what is missing


def find_support(file: str, look: "SetLook", options: Sequence[str] = ()) -> list[Support]:
    """Says what can be done with a set today, and what cannot and why.

    Args:
        file: The set, as a command names it.
        options: The options with which it is read (`--sheet`, `--map`), which every command needs too.

    Example:
        >>> from .suite_draft import SetLook
        >>> [support.is_possible for support in find_support("a.csv", SetLook((), (), {}))]
        [False, False, False, False, False]
    """
    total = len(look.samples)
    counts = {field: look.count(field) for field in ("retrieved_contexts", "reference", "rating")}

    def from_column(field: str, purpose: str, what: str, command: str) -> Support:
        count = counts[field]
        if not count:
            return Support(
                False,
                purpose,
                f"no {what}",
                join_words("assay", "init", file, *options, "--map", f"THEIRS={field}", "--force"),
            )
        why = f"{count:,} of {count_of(total, 'answer')} {verb_of(count, 'has', 'have')} {what}"
        return Support(True, purpose, why, join_words("assay", "run", file, *options, *command.split()))

    rated = counts["rating"]
    is_enough = rated >= FEWEST_TO_CHOOSE
    why = f"{count_of(rated, 'answer is', 'answers are')} rated{'' if is_enough else f', {FEWEST_TO_CHOOSE} needed'}"
    has_scores = any("scores" in one.metadata or any(map(is_known_metric, one.metadata)) for one in look.samples)
    answers = sum(message.human_rating is not None for one in look.samples for message in one.messages)
    if is_enough:
        follow = join_words("assay", "meta" if has_scores else "run", file, *options)
    elif answers and not rated:
        why = (
            f"{count_of(answers, 'answer')} in conversations {verb_of(answers, 'is', 'are')} rated, no conversation is"
        )
        follow = join_words("assay", "run", file, *options, "--turns", "each")
    else:
        follow = join_words("assay", "rate", file, *options, "--raters", "ann,bob")
    conversations = sum(bool(sample.messages) and not is_single_answer(sample) for sample in look.samples)
    return [
        from_column("retrieved_contexts", "are answers true to their sources", "contexts", "--judge MODEL"),
        from_column("reference", "are answers right", "references", "--metrics answer_correctness --judge MODEL"),
        Support(is_enough, "which metric follows your team", why if rated or answers else "nobody rated", follow),
        _versions(file, look, options),
        Support(
            conversations > 0,
            "are conversations resolved",
            count_of(conversations, "conversation") if conversations else "no messages: each row is one answer",
            join_words("assay", "run", file, *options, "--metrics", "resolved", "--judge", "MODEL")
            if conversations
            else join_words("assay", "init", file, *options, "--map", "THEIRS=conversation", "--force"),
        ),
    ]


def _versions(file: str, look: "SetLook", options: Sequence[str]) -> Support:
    purpose = "which version is better"
    columns = dict.fromkeys(column for sample in look.samples for column in sample.metadata)
    for column in (column for column in columns if usual_name(column) in NAMES["version"]):
        labels = {label for sample in look.samples if (label := version_label(sample.metadata.get(column)))}
        if len(labels) > 1:
            return Support(
                True,
                purpose,
                f"{len(labels)} versions in {column}",
                join_words("assay", "decide", file, *options, "--by", column),
            )
    return Support(
        False, purpose, "no column names versions", join_words("assay", "decide", file, *options, "--by", "COLUMN")
    )
