"""The files of the probes: the set as it is, and as each probe changes it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError
from ...eval_sets import Sample, write_set
from .perturbation import PROBES, perturb

ORIGINAL = "original"


@dataclass(frozen=True, slots=True)
class ProbeFile:
    """One file: how many samples it holds, and the ids that could not be changed with the reason."""

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
    """Writes `original.jsonl` and a file a probe into the folder, which is made. A probe that changes none is no file.

    `further` probes have their changed samples, or why there is none, in the samples' order, by the file's name.
    Raises `InputError` where the folder cannot be made.
    """
    held = list(samples)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: the folder cannot be made ({error.strerror or error})") from error
    original = folder / f"{ORIGINAL}.jsonl"
    written = [ProbeFile(ORIGINAL, str(original), write_set(held, original))]
    made = {name: [perturb(sample, PROBES[name], seed) for sample in held] for name in probes}
    for name, found in (made | dict(further or {})).items():
        changed = [sample for sample in found if isinstance(sample, Sample)]
        left_out = tuple((sample.id, why) for sample, why in zip(held, found, strict=True) if isinstance(why, str))
        path = folder / f"{name}.jsonl"
        count = write_set(changed, path) if changed else 0
        written.append(ProbeFile(name, str(path) if changed else "", count, left_out))
    return written
