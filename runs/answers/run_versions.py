"""Which runs hold the same answers, and which hold those of another version of the chatbot to the same questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .sample_pairing import pair_samples

if TYPE_CHECKING:
    from .table import AnswerTable


@dataclass(frozen=True)
class RunVersions:
    """The version that each of several runs is of."""

    # the name of the version of each run: the first run that has its answers. Empty where all runs are of one.
    names: Mapping[str, str] = field(default_factory=dict)
    # run -> sample -> what is the same of all samples of one question
    questions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def item(self, run: str, sample: str) -> str:
        """The id of an answer among all runs: where runs are of several versions, it names the version."""
        return f"{sample}@{self.names[run]}" if self.names else sample

    def question(self, run: str, sample: str) -> str:
        """What is the same of the answers to a sample's question; "" where runs are of one version."""
        own = self.questions.get(run, {})
        conversation, mark, turn = sample.rpartition("#")
        return own.get(sample) or (f"{own[conversation]}{mark}{turn}" if conversation in own else "")

    def join(self, tables: "Sequence[AnswerTable]") -> "list[AnswerTable]":
        """One table per version, with the answers that any of its runs has; all runs together where they are of one."""
        joined: dict[str, AnswerTable] = {}
        for table in tables:
            name = self.names.get(table.run or "", "")
            first = joined.get(name, table)
            joined[name] = replace(first, samples={**first.samples, **table.samples})
        return list(joined.values())


ONE_VERSION = RunVersions()


def find_versions(tables: "Sequence[AnswerTable]") -> RunVersions:
    """Finds the versions that runs are of.

    Two runs are of one version where the samples that both have (`pair_samples`) hold the same answers. Where no pair
    of runs differs in any answer, there are no versions.
    """
    names: dict[str, str] = {}
    questions: dict[str, dict[str, str]] = {}
    differs = False
    by_run = {table.run or "": table for table in tables}
    for run, table in by_run.items():
        own: dict[str, str] = {}
        for first in dict.fromkeys(names.values()):
            other = by_run[first]
            pairs = pair_samples(list(other.samples.values()), list(table.samples.values()), other.sets, table.sets).ids
            for name, in_first in pairs.items():
                own.setdefault(name, questions[first][in_first])
            is_same = all(table.samples[name].has_same_texts(other.samples[twin]) for name, twin in pairs.items())
            differs |= not is_same
            if pairs and is_same and run not in names:
                names[run] = first
        names.setdefault(run, run)
        questions[run] = {name: own.get(name, f"{name}@{run}") for name in table.samples}
    return RunVersions(names, questions) if differs else RunVersions()
