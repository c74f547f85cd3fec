"""Shows what the thresholds of the question filters separate, on the bundled leaflets and pairs written by hand.

    python benchmarks/filter_thresholds.py

ROUGE-L precision against a section: of the hand-written long-form answers (with their own section), and of sentences
of other leaflets (which an answer should not pass with). Cosine: of each hand-written question with the nearest other
question. Needs the extra `generation`.
"""

import argparse
import asyncio
import random
from pathlib import Path

import checkout  # noqa: F401
import numpy as np

from assay.generation.documents import extract_sections
from assay.generation.pair import read_pairs
from assay.generation.pair_filters import Thresholds, rouge_l_precision
from assay.judges.embedders import load_embedder
from assay.languages import load_language
from assay.text.sentences import sentences

PAIRS = Path(__file__).parent / "leaflet_pairs.jsonl"
PLANTED = 3  # the last pairs of the file are there to be rejected


def main() -> None:
    """Prints quantiles on both sides of each threshold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    draw = random.Random(parser.parse_args().seed)
    sections = [section for document in extract_sections(["leaflets"]) for section in document.sections]
    dutch = {section.id: section for section in sections if section.language == "nl"}
    pairs = read_pairs(PAIRS)[:-PLANTED]
    own = [rouge_l_precision(p.answer, dutch[p.section].full_text) for p in pairs if p.kind == "long-form"]
    foreign = [
        rouge_l_precision(
            sentence, draw.choice([s for s in dutch.values() if s.document != section.document]).full_text
        )
        for section in dutch.values()
        for sentence in sentences(section.text, load_language("nl"))
        if len(sentence.split()) > 5
    ]
    print(f"thresholds: {Thresholds()}")
    show("ROUGE-L precision, answers and their sections", own)
    show("ROUGE-L precision, sentences of other leaflets", foreign)
    vectors = asyncio.run(load_embedder("use").unit_vectors([pair.question for pair in pairs]))
    cosines = vectors @ vectors.T - 2 * np.eye(len(pairs))
    show("cosine, questions and the nearest other one", cosines.max(axis=1).tolist())


def show(what: str, values: list[float]) -> None:
    """A line of quantiles."""
    quantiles = ", ".join(f"{share}%: {np.percentile(values, share):.2f}" for share in (0, 5, 50, 95, 100))
    print(f"{what} (n = {len(values)}): {quantiles}")


if __name__ == "__main__":
    main()
