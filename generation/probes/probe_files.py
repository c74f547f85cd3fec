"""The files of the probes: the original set, and one set per probe."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError
from ...eval_sets import Sample, write_set
from .perturbation import PROBES, perturb

ORIGINAL = "original"


@dataclass(frozen=True, slots=True)
class ProbeFile:
    """One file.

    Attributes:
        name: The probe's name, or `original`.
        path: The file; "" where no sample could be changed, so that there is none.
        samples: The number of samples in it.
        left_out: The ids of the samples that could not be changed, each with the reason.
    """

    name: str
    path: str
    samples: int
    left_out: tuple[tuple[str, str], ...] = ()


def write_probes(
    samples: Iterable[Sample],
    folder: Path,
    *,
    probes: Sequence[str] = tuple(PROBES),
    seed: int = 0,
    further: Mapping[str, Sequence[Sample | str]] | None = None,
) -> list[ProbeFile]:
    """Writes `original.jsonl` and one file per probe.

    Returns:
        The files, the original first. A probe that changes no sample has no file.

    Raises:
        InputError: The folder cannot be made.
    """
    originals = list(samples)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: the folder cannot be made ({error.strerror or error})") from error
    original = folder / f"{ORIGINAL}.jsonl"
    files = [ProbeFile(ORIGINAL, str(original), write_set(originals, original))]
    changed_sets = {name: [perturb(sample, PROBES[name], seed) for sample in originals] for name in probes}
    for name, results in (changed_sets | dict(further or {})).items():
        changed = [result for result in results if isinstance(result, Sample)]
        left_out = tuple(
            (sample.id, reason) for sample, reason in zip(originals, results, strict=True) if isinstance(reason, str)
        )
        path = folder / f"{name}.jsonl"
        count = write_set(changed, path) if changed else 0
        files.append(ProbeFile(name, str(path) if changed else "", count, left_out))
    return files
