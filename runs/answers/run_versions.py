"""Which runs hold the same answers, and which hold those of another version of the chatbot to the same questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .sample_pairing import pair_samples

if TYPE_CHECKING:
    from ...eval_sets import Sample
    from ..store.store import RunRow, Store


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

    def parts(self, runs: "Sequence[RunRow]") -> "list[list[RunRow]]":
        """The runs of each version; all runs together where they are of one."""
        names = [self.names.get(run.id, "") for run in runs]
        return [[run for run, own in zip(runs, names, strict=True) if own == name] for name in dict.fromkeys(names)]


ONE_VERSION = RunVersions()


def find_versions(store: "Store", runs: "Sequence[RunRow]") -> RunVersions:
    """Finds the versions that runs are of.

    Two runs are of one version where the samples that both have (`pair_samples`) hold the same answers. Where no pair
    of runs differs in any answer, there are no versions.
    """
    if len(runs) < 2:
        return RunVersions()
    samples = {run.id: list(store.samples(run.id)) for run in runs}
    names: dict[str, str] = {}
    questions: dict[str, dict[str, str]] = {}
    differs = False
    by_id = {run.id: run for run in runs}
    for run in runs:
        own: dict[str, str] = {}
        for first in dict.fromkeys(names.values()):
            sets = by_id[first].plan.sets, run.plan.sets
            pairs = pair_samples(samples[first], samples[run.id], *sets).ids
            for name, in_first in pairs.items():
                own.setdefault(name, questions[first][in_first])
            is_same = _are_same(samples[first], samples[run.id], pairs)
            differs |= not is_same
            if pairs and is_same and run.id not in names:
                names[run.id] = first
        names.setdefault(run.id, run.id)
        questions[run.id] = {sample.id: own.get(sample.id, f"{sample.id}@{run.id}") for sample in samples[run.id]}
    return RunVersions(names, questions) if differs else RunVersions()


def _are_same(first: "Sequence[Sample]", second: "Sequence[Sample]", pairs: Mapping[str, str]) -> bool:
    by_id = {sample.id: sample for sample in first}
    return all(sample.has_same_texts(by_id[pairs[sample.id]]) for sample in second if sample.id in pairs)
