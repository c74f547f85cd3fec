"""How many claims of real answers are left out, and how many sentences that state nothing are judged.

    python benchmarks/claim_sentences.py --data ../shared/data/rated [--texts]

claim_labels.jsonl (beside this file) has the places of sentences of other people's answers, each with whether it claims
something (true), states nothing (false), or was not labelled (null). They were labelled on 23 November 2026 by readers
who saw the sentence and what stands around it, and neither the rules nor what these made of it; in doubt it is a claim.

- `random`: 300 sentences drawn from 2,000, 250 English and 50 Dutch. The rules were mended twice after they were seen.
- `untouched`: 2,000 other English sentences, drawn after those mends and not used for any. Labelled: all 190 that were
  left out then, and 60 of the others.

No answer that the rules were written with is among them (the answers' SHA-256 is odd). Of a set that is labelled in
part, the labelled part of what is judged stands for all of it. `--texts` prints what is lost and what is judged for
nothing. No judge, no network.
"""

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from scipy.stats import binomtest

from assay.languages import language_or_fallback
from assay.text.sentences import AnswerSentence, answer_sentences

HERE = Path(__file__).parent


def read_answers(file: Path) -> Iterator[tuple[str, str]]:
    """Yields the answers of a file, those of conversations too, each with its language."""
    for line in file.read_text(encoding="utf-8").splitlines():
        sample: dict[str, Any] = json.loads(line)
        messages = sample.get("messages") or [{"role": "assistant", "content": sample.get("response")}]
        for message in messages:
            if message["role"] == "assistant" and message.get("content"):
                yield str(message["content"]), sample.get("language") or "en"


def is_judged(split: Sequence[AnswerSentence], start: int, end: int) -> bool:
    """Whether anything between two places of an answer is judged, if only with what it leads to."""
    parts = [sentence for sentence in split if sentence.start < end and sentence.end > start]
    if any(part.kind == "claim" for part in parts):
        return True
    head = parts[0].text.rstrip(":") if parts and parts[0].kind == "lead_in" else ""
    return bool(head) and any(sentence.kind == "claim" and sentence.text.startswith(head) for sentence in split)


def share(count: int, n: int) -> str:
    """A share with its 95% interval (Clopper-Pearson)."""
    interval = binomtest(count, n).proportion_ci() if n else None
    return f"{count}/{n}" if interval is None else f"{count / n:.1%} [{interval.low:.1%}, {interval.high:.1%}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/rated"))
    parser.add_argument("--texts", action="store_true")
    arguments = parser.parse_args()
    print_machine()
    rows = [json.loads(line) for line in (HERE / "claim_labels.jsonl").read_text(encoding="utf-8").splitlines()]
    answers: dict[str, tuple[str, str]] = {}
    for name in {row["file"] for row in rows}:
        for answer, language in read_answers(arguments.data / f"{name}.jsonl"):
            answers[hashlib.sha256(answer.encode()).hexdigest()[:16]] = answer, language
    counts: dict[tuple[str, bool, bool | None], list[str]] = defaultdict(list)
    for row in rows:
        answer, language = answers[row["answer"]]
        split = answer_sentences(answer, language_or_fallback(language))
        for start, end, label in row["sentences"]:
            counts[row["set"], is_judged(split, start, end), label].append(answer[start:end])
    table = []
    for name in ("random", "untouched"):
        judged, left_out = (
            {label: counts[name, verdict, label] for label in (True, False, None)} for verdict in (True, False)
        )
        labelled = len(judged[True]) + len(judged[False])
        claims = round(len(judged[True]) + len(judged[None]) * len(judged[True]) / labelled) + len(left_out[True])
        idle = round(len(judged[False]) + len(judged[None]) * len(judged[False]) / labelled) + len(left_out[False])
        lost, for_nothing = len(left_out[True]), idle - len(left_out[False])
        of_idle = f"about {for_nothing / idle:.0%}" if judged[None] else share(for_nothing, idle)
        table.append((name, claims, share(lost, claims), idle, of_idle, len(left_out[None])))
        if arguments.texts:
            print("\n".join(["", f"{name}: claims that are left out", *left_out[True]]))
            print("\n".join(["", f"{name}: judged, though it states nothing", *judged[False]]))
    header = ("set", "claims", "left out [95%]", "others", "judged [95%]", "left out, no label")
    print_table("Claims that are left out, and other sentences that are judged", header, table)


if __name__ == "__main__":
    main()
