"""The versions under comparison, each with its answers: what they are, how people rated them, and their scores."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ...errors import UsageError
from ...eval_sets import Sample, bundled_sets, read_set
from ...eval_sets.name_suggestions import nearest_names
from ...eval_sets.pair_ratings import without_rating
from ...eval_sets.public.set_facts import is_public
from ...eval_sets.turns import turn_id
from ...eval_sets.version_column import version_label
from ...meta_eval.score_files.read_options import RatedLevel
from ...metrics.specification import parse_specification
from ...text.wording import count_of, list_first, verb_of
from .rated_level import choose_level, find_level_items
from .rating_direction import RatingKinds, describe_left_out_pair_ratings, rates_pair
from .rating_join import join_ratings
from .sample_pairing import Pairing

if TYPE_CHECKING:
    from ...metrics import Score
    from ..store.database import Database
    from ..store.store import RunRow, Store

Values = Mapping[str, Mapping[str, float]]
"""By sample or item and metric."""


@dataclass(frozen=True)
class AnswerSource:
    """A run, a set or results, as it was read."""

    name: str  # what it is called: an id, or the name that the user gave it
    samples: Sequence[Sample]
    values: Values = field(default_factory=dict)
    directions: Mapping[str, bool] = field(default_factory=dict)  # for each of its metrics, whether higher is better
    sets: tuple[str, ...] = ()
    conversation_metrics: tuple[str, ...] = ()
    run: "RunRow | None" = None  # the run in the store; None where it is none
    parts: frozenset[str] = frozenset()  # metrics that it has as parts of a scorer only
    fitted: Mapping[str, Collection[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class VersionAnswers:
    """The answers of one version, at one level: of conversations, of turns, or answers without messages."""

    name: str
    samples: Mapping[str, Sample]  # its answers by id, with all their ratings
    values: Values  # their scores, by id and metric
    source: AnswerSource
    fitted: Mapping[str, Collection[str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    pair_ratings: int = 0  # how many ratings of pairs of answers it has, which are left out

    @property
    def has_only_pairs(self) -> bool:
        """Whether it has ratings of pairs of answers, and no other rating."""
        return self.pair_ratings > 0 and all(sample.human_rating is None for sample in self.samples.values())


def read_run(store: "Store", run: "RunRow", name: str = "") -> AnswerSource:
    """Reads a run."""
    values: dict[str, dict[str, float]] = {}
    scores = list(store.scores(run, fields=()))  # of a scorer with its evidence
    for sample, metric, score in scores:
        if score.value is not None:
            values.setdefault(sample, {})[metric] = score.value
    plan = run.plan
    source = AnswerSource(
        name or run.id,
        list(store.samples(run.id)),
        values,
        plan.all_directions,
        plan.sets,
        plan.conversation_metrics,
        run,
    )
    return with_evidence(source, scores)


def with_evidence(source: AnswerSource, scores: "Iterable[tuple[str, str, Score]]") -> AnswerSource:
    """Returns the source with the values of the parts of its scorers, and which answers these were fitted on."""
    values = {sample: dict(of_sample) for sample, of_sample in source.values.items()}
    fitted: dict[str, set[str]] = {}
    parts: set[str] = set()
    for sample, metric, score in scores:
        if not parse_specification(metric).is_scorer:
            continue
        if score.is_fitted_on:
            fitted.setdefault(metric, set()).add(sample)
        for part, record in score.evidence.get("parts", {}).items():
            if part not in source.directions:
                parts.add(part)
                if score.value is not None and record.get("value") is not None:
                    values.setdefault(sample, {})[part] = record["value"]
    return replace(source, values=values, fitted=fitted, parts=frozenset(parts))


def read_source(store: "Store | None", text: str, reading: Mapping[str, Any] | None = None) -> AnswerSource:
    """Reads a run, else a set: `NAME=RUN`, an id, the beginning of one, `last`, or a set's file or name.

    Args:
        store: The store of the runs, if there is one.
        text: What names the run or the set.
        reading: How a set is read, as `read_set` takes it.
    """
    version, _, place = text.partition("=")
    if not version or not place or Path(text).exists():
        version, place = "", text
    problem = "there are no runs here (--store)"
    if store is not None:
        try:
            return read_run(store, store.run(place), version)
        except UsageError as error:
            if place == "last":
                raise
            problem = str(error)
    elif place == "last":
        raise UsageError(f"last: {problem}")
    if not (Path(place).exists() or place in bundled_sets() or is_public(place) or "/" in place):
        raise UsageError(f"{place!r} is no set, and no run: {problem}")
    name = Path(place).name if Path(place).exists() else place
    return AnswerSource(version or name, list(read_set(place, **(reading or {}))), sets=(place,))


def split_source(source: AnswerSource, by: str) -> tuple[list[AnswerSource], list[str]]:
    """Parts one source into versions by a field of its samples' metadata.

    Returns:
        One source per version, and notes on what is left out.
    """
    key, _, listed = by.partition("=")
    key = key.strip().removeprefix("metadata.")
    wanted = list(dict.fromkeys(name.strip() for name in listed.split(",") if name.strip()))
    by_version: dict[str, list[Sample]] = {}
    without = 0
    for sample in source.samples:
        label = _label(sample, key)
        if label:
            by_version.setdefault(label, []).append(sample)
        else:
            without += 1
    if not by_version:
        names = sorted({name for sample in source.samples for name in sample.metadata})
        near = nearest_names(key, names)
        hint = f"did you mean {near[0]}? They have" if near else "they have"
        has = f"{hint} {list_first(names)}" if names else "they have no metadata"
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
        notes.append(f"{count_of(without, 'answer')} of {source.name} without metadata.{key} {_is_left_out(without)}.")
    if others := [name for name in by_version if name not in names]:
        count = sum(len(by_version[name]) for name in others)
        notes.append(f"{count_of(count, 'answer')} of {list_first(others)} {_is_left_out(count)}, as --by says.")
    return [replace(source, name=name, samples=by_version[name]) for name in names], notes


def _is_left_out(count: int) -> str:
    return f"{verb_of(count, 'is', 'are')} left out"


def _label(sample: Sample, key: str) -> str:
    return version_label(sample.metadata.get(key))


def choose_level_of(
    database: "Database | None", sources: Sequence[AnswerSource], asked: RatedLevel | None
) -> tuple[RatedLevel | None, str]:
    """Chooses the level at which several sources are compared, by what is rated in all of them together."""
    if not any(sample.messages for source in sources for sample in source.samples):
        return choose_level({}, asked)
    items: dict[RatedLevel, Mapping[str, Sample]] = {}
    for level in get_args(RatedLevel):
        rated: dict[str, Sample] = {}
        for number, source in enumerate(sources):  # several may have one id
            samples = _join(database, find_level_items(source.samples, level).samples)[0]
            rated |= {f"{number}:{name}": sample for name, sample in samples.items()}
        items[level] = rated
    return choose_level(items, asked)


def select_answers(database: "Database | None", source: AnswerSource, level: RatedLevel | None) -> VersionAnswers:
    """Selects the answers of a source at a level, with their scores and all ratings that there are of them.

    Ratings that say which of two answers is better are left out: they rate neither answer by itself.
    """
    items = find_level_items(source.samples, level)
    values: dict[str, dict[str, float]] = {}
    for sample, of_sample in source.values.items():
        for metric, value in of_sample.items():
            item = items.item(sample, metric, source.conversation_metrics)
            if item is not None:
                values.setdefault(item, {})[metric] = value
    fitted = {
        metric: {item for sample in samples if (item := items.item(sample, metric, source.conversation_metrics))}
        for metric, samples in source.fitted.items()
    }
    samples, note = _join(database, items.samples)
    pairs = [name for name, sample in samples.items() if rates_pair(sample)]
    samples |= {name: without_rating(samples[name]) for name in pairs}
    notes = (note,) if note else ()
    return VersionAnswers(source.name, samples, values, source, fitted, notes, len(pairs))


def describe_rating_kinds(versions: Sequence[VersionAnswers]) -> list[str]:
    """Says which ratings of samples with two answers are left out, and which are taken as of the first answer.

    Returns:
        One sentence for each kind; none where no rated sample has two answers.
    """
    counts = {version.name: version.pair_ratings for version in versions if version.pair_ratings}
    listed = list_first([f"{count:,} of {name}" for name, count in counts.items()], 5)
    left_out = [f"{describe_left_out_pair_ratings(sum(counts.values()))}: {listed}."] if counts else []
    singles = RatingKinds.count(sample for version in versions for sample in version.samples.values())
    return left_out + [f"{note}." for note in singles.notes(())]


def _join(database: "Database | None", samples: Mapping[str, Sample]) -> tuple[dict[str, Sample], str]:
    if database is None:
        return dict(samples), ""
    joined = join_ratings(database, samples)
    return joined.samples, joined.note


def pair_answers(pairing: Pairing, first: Collection[str], second: Mapping[str, Sample]) -> dict[str, str]:
    """Pairs answers as their samples are paired, and turns that stand at one place of paired conversations.

    Returns:
        The id in the second run -> the id in the first.
    """
    pairs = {}
    for name, sample in second.items():
        turn, conversation = sample.metadata.get("turn"), str(sample.metadata.get("conversation"))
        in_first = pairing.ids.get(name)
        if in_first is None and isinstance(turn, int) and conversation in pairing.ids:
            in_first = turn_id(pairing.ids[conversation], turn)
        if in_first is not None and in_first in first:
            pairs[name] = in_first
    return pairs
