"""Compares the JSON of all scenarios and of the bundled sets with that of an earlier version: `make against`.

The earlier version is the wheel of a commit, installed in `.venv/against`, which shares the other libraries. What
differs on purpose is named in `meant_changes.yaml`.
"""

import fnmatch
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import yaml
from outcomes import FOLDER, SCENARIOS, SETS, Typist, differences, step_values

COMMIT = "6da67d2fa531d1d87c69227d44e5436f2249208a"
NEEDED_BEFORE = ("choix>=0.3", "qdrant-client>=1.10", "grpcio>=1.41")
"""What the earlier version depends on and the work tree no longer does."""
ROOT = FOLDER.parents[1]
PLACE = ROOT / ".venv" / "against"
MOST_SHOWN = 12
"""Differences that are printed of one scenario."""


def install() -> Path:
    """Makes the environment of the earlier version, if it is not there; returns its Python."""
    python, mark = PLACE / "bin" / "python", PLACE / COMMIT
    if mark.exists():
        return python
    archive = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        sys.exit(f"against: this clone has no commit {COMMIT}; fetch it: git fetch --unshallow, or git fetch origin")
    shutil.rmtree(PLACE, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", PLACE], check=True)
    site = next(PLACE.glob("lib/python*/site-packages"))
    (site / "shared.pth").write_text("".join(f"{path}\n" for path in sys.path if path.endswith("site-packages")))
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", site]
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        subprocess.run([*pip, "--no-build-isolation", folder], check=True)
    subprocess.run([*pip, *NEEDED_BEFORE], check=True)
    mark.touch()
    return python


def play_all(python: Path | str) -> dict[str, dict[str, Any]]:
    """The values of the scenarios that are typed (by default all), by a version."""
    typist = Typist(python, earlier_names=python != sys.executable)
    paths = [path for path in [*SETS, *SCENARIOS] if path.stem in sys.argv[1:] or not sys.argv[1:]]
    values = {path.stem: step_values(typist.play(path)) for path in paths}
    typist.stop()
    return values


def main() -> None:
    """Plays all scenarios by both versions side by side; exit code 1 when one differs and that is not meant."""
    earlier = install()
    with ThreadPoolExecutor() as both:
        before, now = both.map(play_all, (earlier, sys.executable))
    meant = yaml.safe_load((FOLDER / "meant_changes.yaml").read_text(encoding="utf-8")) or []
    used, counts = set[int](), {"equal": 0, "changed as meant": 0, "different": 0}
    for scenario in before:
        unmeant = list[str]()
        found = list(differences(before[scenario], now[scenario]))
        for path, first, second in found:
            entries = [number for number, entry in enumerate(meant) if is_meant(entry, scenario, path)]
            used.update(entries)
            if not entries:
                unmeant.append(f"  {path}: {str(first)[:200]} before, {str(second)[:200]} now")
        counts["different" if unmeant else "changed as meant" if found else "equal"] += 1
        if unmeant:
            print(f"{scenario}: {len(unmeant)} differences", *unmeant[:MOST_SHOWN], sep="\n")
    unused = [entry for number, entry in enumerate(meant) if number not in used and not sys.argv[1:]]
    for entry in unused:
        print(f"meant_changes.yaml: {entry['scenario']}, {entry['path']}: nothing differs there")
    print("against", COMMIT[:8] + ":", ", ".join(f"{count} scenarios {name}" for name, count in counts.items()))
    sys.exit(bool(counts["different"] or unused))


def is_meant(entry: dict[str, str], scenario: str, path: str) -> bool:
    """Whether an entry of `meant_changes.yaml` names a difference, or a part of the value around it."""
    fits = fnmatch.fnmatchcase(path, entry["path"]) or fnmatch.fnmatchcase(path, f"{entry['path']}.*")
    return fits and fnmatch.fnmatchcase(scenario, entry["scenario"]) and bool(entry["reason"])


if __name__ == "__main__":
    main()
