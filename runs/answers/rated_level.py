"""The level at which ratings of a run are compared with its scores: whole conversations, or their turns."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.levels import RatedLevel
from ...eval_sets.message import turn_id
from ...eval_sets.turns import is_single_answer, is_turn, turn_samples
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
    if level == "turn" and (unscored := _count_unscored(items)):
        note += (
            f"; {count_of(unscored, 'other turn is', 'other turns are')} rated and not scored (assay run SET --turns "
            "each)"
        )
    return level, note


def _count_unscored(items: Mapping[RatedLevel, Mapping[str, Sample]]) -> int:
    """How many rated messages of conversations are answers that were not scored."""
    return sum(
        message.is_answer and message.rating is not None and turn_id(name, place) not in items["turn"]
        for name, sample in items["conversation"].items()
        for place, message in enumerate(sample.messages)
    )


@dataclass(frozen=True)
class LevelItems:
    """What is evaluated at one level, of some samples."""

    # what is evaluated, by id: samples as they are, or the turn under test of a conversation
    samples: Mapping[str, Sample]
    item_of: Mapping[str, str]  # the id of the sample whose scores count for an item -> the item's id
    # the ids of conversations whose turn under test is the item: only scores of answers are the turn's
    turns_of_conversations: Collection[str] = field(default_factory=frozenset)

    def item(self, sample: str, metric: str, conversation_metrics: Collection[str]) -> str | None:
        """Returns the item that a score counts for; None where it is one of the other level."""
        if sample in self.turns_of_conversations and metric in conversation_metrics:
            return None
        return self.item_of.get(sample)


def find_level_items(samples: Iterable[Sample], level: RatedLevel | None) -> LevelItems:
    """Finds what is evaluated at a level.

    Conversations have the scores of their own, and those of their turn under test where it was scored by itself. Turns
    are those that were scored by themselves, and the turn under test of the other conversations. Samples that are no
    conversations stand at both levels.
    """
    all_samples = {sample.id: sample for sample in samples}
    if level is None:
        return LevelItems(all_samples, {name: name for name in all_samples})
    turns = {name: sample for name, sample in all_samples.items() if is_turn(sample)}
    if level == "conversation":
        whole = {name: sample for name, sample in all_samples.items() if name not in turns}
        under_test = {
            turn_id(name, sample.turn): name
            for name, sample in whole.items()
            if sample.messages and sample.turn is not None
        }
        item_of = {name: name for name in whole} | {turn: under_test[turn] for turn in turns if turn in under_test}
        return LevelItems(whole, item_of)
    apart = {str(sample.metadata["conversation"]) for sample in turns.values()}
    items: dict[str, Sample] = {}
    item_of = {}
    of_conversations = set()
    for name, sample in all_samples.items():
        if not sample.messages or name in turns:
            items[name], item_of[name] = sample, name
        elif name not in apart:
            turn = next((turn for turn in turn_samples(sample) if turn.metadata["turn"] == sample.turn), None)
            if turn is not None:
                items[turn.id], item_of[name] = turn, turn.id
                of_conversations.add(name)
    return LevelItems(items, item_of, frozenset(of_conversations))
