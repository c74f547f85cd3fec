"""A chatbot without a model, to try cross-evaluation on: it answers with the sentences nearest to the question.

It declines where no sentence is near enough. From the checkout:

    assay sets crosseval leaflets.jsonl --bot benchmarks.extractive_bot:answer
"""

from functools import cache

import checkout  # noqa: F401

from assay.judges import Embedder, load_embedder
from assay.languages import load_language
from assay.text import claiming_sentences

DUTCH = load_language("nl")

LEAST_COSINE = 0.35
SENTENCES = 3
REFUSAL = "Dat weet ik niet, want het staat niet in mijn documenten."


async def answer(question: str, pages: list[str]) -> str:
    """Answers with the nearest sentences, or declines; a sentence's cosine is averaged with its paragraph's."""
    candidates: list[tuple[float, str]] = []
    for page in pages:
        for paragraph in page.split("\n\n"):
            claims = [sentence for sentence in claiming_sentences(paragraph, DUTCH) if len(sentence.split()) > 3]
            if claims:
                paragraph_cosine, *cosines = await _embedder().cosines(question, [paragraph, *claims])
                candidates += [
                    ((paragraph_cosine + cosine) / 2, sentence)
                    for cosine, sentence in zip(cosines, claims, strict=True)
                ]
    best = sorted(candidates, reverse=True)[:SENTENCES]
    return " ".join(sentence for _, sentence in best) if best and best[0][0] >= LEAST_COSINE else REFUSAL


@cache
def _embedder() -> Embedder:
    return load_embedder("use")
