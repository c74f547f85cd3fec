"""How many claims of real answers are left out, and how many sentences that state nothing are judged.

    python benchmarks/claim_sentences.py --data ../shared/data/rated

claim_labels.jsonl (beside this file) has the places of sentences of other people's answers, each with whether it claims
something (true), states nothing (false), or was not labelled (null). They were labelled on 23 November 2026 by readers
who saw the sentence and what stands around it, and neither the rules nor what these made of it; in doubt it is a claim.

- `random`: 300 sentences drawn from 2,000, 250 English and 50 Dutch. The rules were mended after they were seen.
- 2,000 other English sentences, drawn after that: those that were left out at first (190, all labelled) and those that
  were judged at first (1,810, of which 60 are labelled and stand for all).

The lists of words of the packs were written with both in sight: no set is unseen. No judge, no network.
"""

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from scipy.stats import binomtest

from assay.languages import language_or_fallback
from assay.text import AnswerSentence, answer_sentences

HERE = Path(__file__).parent
SETS = {"random": ("random",), "2,000 others": ("left out at first", "judged at first")}


def read_answers(file: Path) -> Iterator[tuple[str, str]]:
    """Yields the answers of a file, those of conversations too, each with its language."""
    for line in file.read_text(encoding="utf-8").splitlines():
        sample: dict[str, Any] = json.loads(line)
        messages = sample.get("messages") or [{"role": "assistant", "content": sample.get("response")}]
        for message in messages:
            if message["role"] == "assistant" and message.get("content"):
                yield str(message["content"]), sample.get("language") or "en"


def is_judged(split: Sequence[AnswerSentence], start: int, end: int, *, within: bool = True) -> bool:
    """Whether anything between two places of an answer is judged; `within`: also if only with what it leads to."""
    parts = [sentence for sentence in split if sentence.start < end and sentence.end > start]
    if any(part.kind == "claim" for part in parts):
        return True
    if not within:
        return False
    head = parts[0].text.rstrip(":") if parts and parts[0].kind == "lead_in" else ""
    return bool(head) and any(sentence.kind == "claim" and sentence.text.startswith(head) for sentence in split)


def share(count: int, n: int) -> str:
    """A share with its 95% interval (Clopper-Pearson)."""
    interval = binomtest(count, n).proportion_ci() if n else None
    return f"{count}/{n}" if interval is None else f"{count / n:.1%} [{interval.low:.1%}, {interval.high:.1%}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/rated"))
    arguments = parser.parse_args()
    print_machine()
    rows = [json.loads(line) for line in (HERE / "claim_labels.jsonl").read_text(encoding="utf-8").splitlines()]
    answers: dict[str, tuple[str, str]] = {}
    for name in {row["file"] for row in rows}:
        for answer, language in read_answers(arguments.data / f"{name}.jsonl"):
            answers[hashlib.sha256(answer.encode()).hexdigest()[:16]] = answer, language
    counts: Counter[tuple[str, bool, bool | None]] = Counter()
    for row in rows:
        answer, language = answers[row["answer"]]
        split = answer_sentences(answer, language_or_fallback(language))
        for start, end, label in row["sentences"]:
            # "Here are your options:" before its items is no judged sentence; what it says would not be lost either
            counts[row["set"], is_judged(split, start, end, within=label is not False), label] += 1
    table = []
    for title, parts in SETS.items():
        claims = lost = idle = for_nothing = 0.0
        unlabelled = 0
        for part in parts:
            labelled = sum(counts[part, verdict, label] for verdict in (True, False) for label in (True, False))
            open_ones = sum(counts[part, verdict, None] for verdict in (True, False))
            weight = (labelled + open_ones) / labelled
            claims += weight * sum(counts[part, verdict, True] for verdict in (True, False))
            idle += weight * sum(counts[part, verdict, False] for verdict in (True, False))
            lost += weight * counts[part, False, True]
            for_nothing += weight * counts[part, True, False]
            unlabelled += counts[part, False, None]
        row = (share(round(lost), round(claims)), round(idle), f"{for_nothing / idle:.0%}", unlabelled)
        table.append((title, round(claims), *row))
    header = ("set", "claims", "left out [95%]", "others", "judged", "left out, no label")
    print_table("Claims that are left out, and other sentences that are judged", header, table)


if __name__ == "__main__":
    main()
