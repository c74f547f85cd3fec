"""Measures the time and memory of a cassette: opening, looking up, recording and merging.

    python benchmarks/cassette_speed.py [--lines 100000]

Each job runs in its own process. Seconds are processor time, so that other work on the machine has little effect;
memory is the largest resident set beyond that of the imports.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table

from assay.judges import Cassette, RawReply
from assay.judges.recording import Recording

BUNDLED = Path(__file__).parent.parent / "cassettes"


def recording(number: int) -> Recording:
    """A recording of some 800 bytes; the keys of successive numbers are in no order."""
    key = f"{number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128:032x}"
    reply = RawReply(model="openai/some-model", text="A reply of some length. " * 20, tokens_in=400, tokens_out=100)
    return Recording(
        key, "claims.en@0123456789ab", f"s{number}", {"temperature": 0}, "Claims", "u" * 12, "a" * 80, reply
    )


def record(path: Path, lines: int) -> None:
    """Records so many replies in one session and merges them."""
    with Cassette(path, "record") as cassette:
        for number in range(lines):
            cassette.put(recording(number))


def open_only(path: Path, _: int) -> None:
    """Opens a cassette in replay."""
    Cassette(path, "replay").close()


def look_up(path: Path, _: int) -> None:
    """Replays every recording of a cassette once, in no order."""
    with Cassette(path, "replay") as cassette:
        keys = [each.key for each in cassette.recordings()]
        random.Random(0).shuffle(keys)
        for key in keys:
            assert cassette.get(key) is not None


def add_one(path: Path, lines: int) -> None:
    """Records one more reply and merges it."""
    with Cassette(path, "auto") as cassette:
        cassette.put(recording(lines + 1))


WORK: dict[str, Callable[[Path, int], None]] = {
    "record": record,
    "open": open_only,
    "replay": look_up,
    "add one": add_one,
}


def peak_kib() -> int:
    """The largest resident set of this process so far, in KiB (Linux)."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def measure(job: str, path: Path, lines: int) -> tuple[float, float]:
    """Seconds, and MB of memory beyond the imports, of one job in a new process."""
    command = [sys.executable, __file__, "--job", job, "--path", str(path), "--lines", str(lines)]
    seconds, kib = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(seconds), int(kib) / 1024


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--job", choices=sorted(WORK), help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        before, begun = peak_kib(), time.process_time()
        WORK[options.job](options.path, options.lines)
        print(time.process_time() - begun, peak_kib() - before)
        return
    print_machine()
    rows = [(f"replay {path.name}", *measure("replay", path, 0)) for path in sorted(BUNDLED.glob("*.jsonl"))]
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.jsonl"
        rows += [(f"{job}, {options.lines} lines", *measure(job, large, options.lines)) for job in WORK]
    print_table("Cassettes", ("", "processor seconds", "MB"), [(name, f"{s:.3f}", f"{mb:.1f}") for name, s, mb in rows])


if __name__ == "__main__":
    main()
