"""The level at which answers are rated and evaluated: whole conversations, or their turns."""

from collections.abc import Collection, Mapping

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.levels import RatedLevel
from ...eval_sets.turns import is_single_answer
from ...text.wording import count_of, verb_of


def choose_level(
    items: Mapping[RatedLevel, Mapping[str, Sample]], asked: RatedLevel | None, rated: Collection[str] | None = None
) -> tuple[RatedLevel | None, str]:
    """Chooses the level at which runs are evaluated.

    Returns:
        The level, None where there are no conversations; and a sentence that says so, for the user.
    """
    threads = {level: [sample for sample in samples.values() if sample.messages] for level, samples in items.items()}
    if not any(threads.values()):
        if asked:
            raise UsageError(f"--level {asked}: no sample of the run has messages; leave --level out")
        return None, ""
    of_level = {
        level: [
            sample for sample in samples if (sample.human_rating is not None if rated is None else sample.id in rated)
        ]
        for level, samples in threads.items()
    }
    counts = {level: len(samples) for level, samples in of_level.items()}
    has_whole = not all(map(is_single_answer, of_level["conversation"]))  # a single answer is its turn
    is_of_turns = counts["turn"] > counts["conversation"] and not has_whole
    level: RatedLevel = asked or ("turn" if is_of_turns else "conversation")
    other: RatedLevel = "turn" if level == "conversation" else "conversation"
    note = f"evaluated at the level of {level}s, of which {counts[level]:,} {verb_of(counts[level], 'is', 'are')} rated"
    if counts[other]:
        note += f"; {count_of(counts[other], f'{other} is', f'{other}s are')} rated too (--level {other})"
    return level, note
