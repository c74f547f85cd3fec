"""The versions under comparison, each with its answers: what they are, how people rated them, and their scores."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ...errors import UsageError
from ...eval_sets import bundled_sets, read_set
from ...eval_sets.items import version_label
from ...eval_sets.levels import RatedLevel
from ...eval_sets.public.set_facts import is_public
from ...text.wording import count_of, list_first, verb_of
from .table import AnswerTable, choose_level

if TYPE_CHECKING:
    from ..store.database import Database
    from ..store.store import Store


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
        has_two = any(sample.other_response for sample in source.samples.values())
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
