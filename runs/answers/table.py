"""The one table that all readers take: a row per answer, with its scores by metric and the ratings that there are."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self, get_args

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.levels import RatedLevel
from ...eval_sets.message import turn_id
from ...eval_sets.turns import is_single_answer, is_turn, turn_samples
from ...meta_eval.groups import group_answers
from ...metrics import Score
from ...text.wording import count_of, verb_of
from .rating_direction import rates_pair
from .rating_join import join_ratings

if TYPE_CHECKING:
    from ..store.database import Database
    from ..store.store import Field, RunRow, Store


@dataclass(frozen=True, repr=False)
class AnswerTable:
    """The answers of one version of a chatbot: of a run, of a set, or as they were scored in memory.

    Attributes:
        directions: For each metric, the baselines last, whether higher is better, as the metric declares it.
        samples: The answers by id, in the order in which they were given.
        scores: For each id the scores by metric name.
        run: The id of the run in the store; None where nothing is stored.
        rating_note: Whose the ratings are, where not all are the file's.
        row: The run as the store lists it; None where nothing is stored.
        source_samples: Of a table at one level the samples that it was made of; empty of any other.
        pair_ratings: How many ratings of pairs of answers were left out.
        levels: The tables at the two levels with the ratings of the rating page too; empty where there are none.
    """

    directions: Mapping[str, bool]
    samples: Mapping[str, Sample]
    scores: Mapping[str, Mapping[str, Score]]
    run: str | None = None
    rating_note: str = ""
    name: str = ""
    sets: tuple[str, ...] = ()
    conversation_metrics: tuple[str, ...] = ()
    row: "RunRow | None" = None
    source_samples: Mapping[str, Sample] | None = None
    pair_ratings: int = 0
    levels: "Mapping[RatedLevel, Self]" = field(default_factory=dict)

    @classmethod
    def read(
        cls, store: "Store", run: "RunRow", fields: "tuple[Field, ...]" = (), evidence: Collection[str] | None = None
    ) -> Self:
        """Reads a run, all of it once, with the ratings that its samples came with.

        Args:
            fields: What is read of the scores beside value, status and reason. Without any the table is small.
            evidence: What is kept of the scores' evidence, by key; None for all.
        """
        samples = {sample.id: sample for sample in store.samples(run.id)}
        scores: dict[str, dict[str, Score]] = {name: {} for name in samples}
        for name, metric, score in store.scores(run, fields=fields):
            if name in scores:  # else it was written since the samples were read
                scores[name][metric] = score if evidence is None else _with_evidence(score, evidence)
        plan = run.plan
        return cls(
            plan.all_directions,
            samples,
            scores,
            run=run.id,
            name=run.id,
            sets=plan.sets,
            conversation_metrics=plan.conversation_metrics,
            row=run,
        )

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, the baselines last."""
        return tuple(self.directions)

    def rows(self) -> Iterator[tuple[str, str, Score]]:
        """Yields (sample, metric, score), as a store does."""
        for sample, scores in self.scores.items():
            for metric, score in scores.items():
                yield sample, metric, score

    @cached_property
    def groups(self) -> Mapping[str, str]:
        """The group of each answer (`group_answers`)."""
        return dict(zip(self.samples, group_answers(self.samples.values()), strict=True))

    def values(self, metric: str) -> dict[str, float]:
        """The values of a metric by answer, of those that have one."""
        return {
            name: score.value
            for name, scores in self.scores.items()
            if (score := scores.get(metric)) is not None and score.value is not None
        }

    def fitted(self, metric: str) -> set[str]:
        """The answers whose ratings a metric was fitted to."""
        return {name for name, scored, score in self.rows() if scored == metric and score.is_fitted_on}

    def where(self, names: Collection[str]) -> Self:
        """The table of some of its answers, in their order."""
        scores = {name: self.scores[name] for name in names if name in self.scores}
        samples = {name: self.samples[name] for name in names}
        return replace(self, samples=samples, scores=scores, levels={})

    @cached_property
    def rated(self) -> Self:
        """The table at the level that is rated (`choose_level`), whose scores are compared with the ratings."""
        levels = self._tables_by_level
        chosen, _ = choose_level({level: table.samples for level, table in levels.items()}, None)
        return levels[chosen] if chosen else self

    @cached_property
    def rated_rows(self) -> Mapping[str, Sample]:
        """The rated answers by row, each rating once: a conversation where it is rated, else those of its turns.

        Where its turns are no rows of their own, that of the turn under test is the conversation's.
        """
        rated = dict[str, Sample]()
        levels = self._tables_by_level
        for table in (levels["turn"], levels["conversation"]) if levels else (self,):
            for name, sample in table.samples.items():
                if sample.human_rating is not None:
                    rated[name if name in self.samples else str(sample.metadata["conversation"])] = sample
        return {
            name: sample
            for name, sample in rated.items()
            if not is_turn(self.samples[name]) or str(sample.metadata["conversation"]) not in rated
        }

    @property
    def _tables_by_level(self) -> "Mapping[RatedLevel, Self]":
        if self.source_samples is not None:  # of one level already
            return {}
        if self.levels or not any(sample.messages for sample in self.samples.values()):
            return self.levels
        levels: tuple[RatedLevel, ...] = get_args(RatedLevel)
        return {level: self.at_level(level) for level in levels}

    def with_ratings(self, database: "Database | None") -> Self:
        """The table with all ratings that there are of its answers: those of the rating page too (`join_ratings`)."""
        if database is None:
            return self
        joined = join_ratings(database, self.samples)
        levels = {level: table.with_ratings(database) for level, table in self._tables_by_level.items()}
        return replace(self, samples=joined.samples, rating_note=joined.note, levels=levels)

    def at_level(self, level: "RatedLevel | None") -> Self:
        """The table of what is evaluated at a level: conversations, turns, or answers as they are."""
        if level is None:
            return replace(self, source_samples=self.samples)
        samples, item_of, turns_under_test = _find_items(self.samples, level)
        scores: dict[str, dict[str, Score]] = {name: {} for name in samples}
        for name, metric, score in self.rows():
            item = item_of.get(name)
            if item is None or (name in turns_under_test and metric in self.conversation_metrics):
                continue  # it is one of the other level
            if score.value is not None or metric not in scores[item]:
                scores[item][metric] = score
        return replace(self, samples=samples, scores=scores, source_samples=self.samples)

    def without_pair_ratings(self) -> Self:
        """The table without ratings that say which of two answers is better: they rate neither by itself."""
        from ...eval_sets.items import without_rating

        pairs = [name for name, sample in self.samples.items() if rates_pair(sample)]
        samples = {**self.samples, **{name: without_rating(self.samples[name]) for name in pairs}}
        return replace(self, samples=samples, pair_ratings=len(pairs))


def _with_evidence(score: Score, keys: Collection[str]) -> Score:
    return replace(score, evidence={key: value for key, value in score.evidence.items() if key in keys})


def _find_items(
    all_samples: Mapping[str, Sample], level: "RatedLevel"
) -> tuple[dict[str, Sample], dict[str, str], set[str]]:
    """Finds what is evaluated at a level.

    Conversations have the scores of their own, and those of their turn under test where it was scored by itself. Turns
    are those that were scored by themselves, and the turn under test of the other conversations. Samples that are no
    conversations stand at both levels.

    Returns:
        The items by id; by sample the item that its scores count for; and the conversations whose turn under test is
        the item: only scores of answers are the turn's.
    """
    turns = {name: sample for name, sample in all_samples.items() if is_turn(sample)}
    if level == "conversation":
        whole = {name: sample for name, sample in all_samples.items() if name not in turns}
        under_test = {
            turn_id(name, sample.turn): name
            for name, sample in whole.items()
            if sample.messages and sample.turn is not None
        }
        item_of = {name: name for name in whole} | {turn: under_test[turn] for turn in turns if turn in under_test}
        return whole, item_of, set()
    apart = {str(sample.metadata["conversation"]) for sample in turns.values()}
    items: dict[str, Sample] = {}
    item_of = dict[str, str]()
    of_conversations = set[str]()
    for name, sample in all_samples.items():
        if not sample.messages or name in turns:
            items[name], item_of[name] = sample, name
        elif name not in apart:
            turn = next((turn for turn in turn_samples(sample) if turn.metadata["turn"] == sample.turn), None)
            if turn is not None:
                items[turn.id], item_of[name] = turn, turn.id
                of_conversations.add(name)
    return items, item_of, of_conversations


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
