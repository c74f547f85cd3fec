"""Writes the golden outputs anew and shows what changed: `python tests/golden/write.py [SCENARIO ...]`."""

import difflib
import sys

from outcomes import SCENARIOS, Typist, golden_text


def main() -> None:
    """Plays the scenarios that are named, by default all."""
    typist = Typist()
    changed = 0
    for scenario in (path for path in SCENARIOS if not sys.argv[1:] or path.stem in sys.argv[1:]):
        golden = scenario.with_suffix(".txt")
        before = golden.read_text(encoding="utf-8") if golden.exists() else ""
        text = golden_text(scenario, typist.play(scenario))
        changed += text != before
        lines = difflib.unified_diff(before.splitlines(), text.splitlines(), golden.name, "now", lineterm="", n=1)
        print("\n".join(lines) if before else f"{golden.name}: new\n" * (text != before), flush=True)
        golden.write_text(text, encoding="utf-8")
    typist.stop()
    print(f"{changed} changed; look at them with git diff before you commit them")


if __name__ == "__main__":
    main()
