"""The one table that all readers take: a row per answer, with its scores by metric and the ratings that there are."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, get_args

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.column_table import OTHER_ANSWER
from ...eval_sets.conversation import is_single_answer, is_turn, turn_samples
from ...eval_sets.levels import RatedLevel
from ...eval_sets.message import turn_id
from ...meta_eval.groups import group_answers
from ...metrics import Score
from ...text.wording import count_of, list_first, verb_of
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


def read_source(store: "Store | None", text: str, reading: Mapping[str, Any] | None = None) -> AnswerTable:
    """Reads a run, else a set: `NAME=RUN`, an id, the beginning of one, `last`, `last~1`, or a set's file or name."""
    version, _, place = text.partition("=")
    if not version or not place or Path(text).exists():
        version, place = "", text
    problem, is_last = "there are no runs here (--store)", place == "last" or place.startswith("last~")
    if store is not None:
        try:
            table = AnswerTable.read(store, store.run(place))  # of a scorer with its evidence
            return replace(table, name=version or table.name)
        except UsageError as error:
            if is_last:
                raise
            problem = str(error)
    elif is_last:
        raise UsageError(f"{place}: {problem}")
    from ...eval_sets import bundled_sets, read_set  # late: whoever shows a run needs none of it
    from ...eval_sets.public.set_facts import is_public

    is_file = Path(place).exists() or "/" in place or Path(place).suffix != ""
    if not (is_file or place in bundled_sets() or is_public(place)):
        raise UsageError(f"{place!r} is no set, and no run: {problem}")
    name = Path(place).name if Path(place).exists() else place
    samples = {sample.id: sample for sample in read_set(place, **(reading or {}))}
    return AnswerTable({}, samples, {}, name=version or name, sets=(place,))


def read_sources(
    store: "Store | None", names: Sequence[str], by: str, reading: Mapping[str, Any] | None = None
) -> tuple[list[AnswerTable], list[str]]:
    """Reads one version per name, or the versions within one run or set, and says what is left out of these.

    Raises:
        UsageError: There are fewer than two versions, or several names beside `by`.
    """
    if by and len(names) != 1:
        raise UsageError(f"--by {by}: parts one run into versions; name one run, or leave --by out")
    reading = {**(reading or {}), "versions": version_field(by)}
    sources = [read_source(store, name, reading) for name in names]
    if not by:
        check_one_answer(sources)
    if not by and len(names) < 2:
        raise UsageError(
            "name two versions or more: the run in use today and the new one (RUN_A RUN_B), or one run with several "
            "systems and the field that names them (--by system)"
        )
    return split_source(sources[0], by) if by else (sources, [])


def check_one_answer(sources: Sequence[AnswerTable]) -> None:
    """Raises `UsageError` where rows hold the answers of two versions, of which one is read: alone, or as each."""
    own = [{(one.user_input, one.response) for one in source.samples.values()} for source in sources]
    for source, answers in zip(sources, own, strict=True):
        has_two = any(not sample.metadata.keys().isdisjoint(OTHER_ANSWER) for sample in source.samples.values())
        if has_two and (len(sources) == 1 or own.count(answers) > 1):
            place = next(iter(source.sets), source.name)
            raise UsageError(
                f"{place}: its rows hold two answers each, and a version has one per question; put the answers of each "
                f"version into a file of its own, and name the choices between them with --ratings (assay decide "
                f"A=a.csv B=b.csv --ratings {place})"
            )


def version_field(by: str) -> str:
    """The field of metadata that `--by` names: `system` of `metadata.system=A,B` too; "" for none."""
    return by.partition("=")[0].strip().removeprefix("metadata.")


def split_source(source: AnswerTable, by: str) -> tuple[list[AnswerTable], list[str]]:
    """Parts one source into versions by a field of its samples' metadata.

    Returns:
        One source per version, and notes on what is left out.
    """
    from ...eval_sets.items import version_label

    key, listed = version_field(by), by.partition("=")[2].split(",")
    wanted = list(dict.fromkeys(name.strip() for name in listed if name.strip()))
    by_version: dict[str, list[str]] = {}
    without = 0
    for sample in source.samples.values():
        label = version_label(sample.metadata.get(key))
        if label:
            by_version.setdefault(label, []).append(sample.id)
        else:
            without += 1
    if not by_version:
        names = sorted({name for sample in source.samples.values() for name in sample.metadata})
        has = f"they have {list_first(names)}" if names else "they have no metadata"
        raise UsageError(f"--by {key}: no sample of {source.name} has metadata.{key}; {has}")
    for name in wanted:
        if name not in by_version:
            raise UsageError(
                f"--by {by}: no sample of {source.name} has {key} {name!r}; there is {list_first(list(by_version))}"
            )
    names = wanted or list(by_version)
    if len(names) < 2:
        raise UsageError(f"--by {key}: all answers of {source.name} are of {names[0]}; name a run with two or more")
    notes = []
    if without:
        left_out = verb_of(without, "is left out", "are left out")
        notes.append(f"{count_of(without, 'answer')} of {source.name} without metadata.{key} {left_out}.")
    return [replace(source.where(by_version[name]), name=name) for name in names], notes


def at_rated_level(
    database: "Database | None",
    tables: Sequence[AnswerTable],
    asked: RatedLevel | None,
    rated: Collection[str] | None = None,
) -> tuple[list[AnswerTable], RatedLevel | None, str]:
    """Selects the answers at the level that is rated in all of several tables together, with all their ratings.

    Returns:
        The tables at the level, the level (None where there are no conversations), and a sentence that says so.
    """
    has_messages = any(sample.messages for table in tables for sample in table.samples.values())
    levels: tuple[RatedLevel | None, ...] = get_args(RatedLevel) if has_messages else (None,)
    by_level = {level: [table.at_level(level).with_ratings(database) for table in tables] for level in levels}
    items = {  # several tables may have one id
        level: {
            f"{number}:{key}": sample for number, table in enumerate(listed) for key, sample in table.samples.items()
        }
        for level, listed in by_level.items()
        if level is not None
    }
    level, note = choose_level(items, asked, rated)
    return by_level[level], level, note
