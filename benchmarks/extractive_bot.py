"""A chatbot without a model, to try cross-evaluation on: the sentences of its pages that lie nearest to the question.

It declines where none is near enough. From the checkout:

    assay crosseval leaflets.jsonl --bot benchmarks.extractive_bot:answer
"""

from functools import cache

from assay.judges.embedders import Embedder, load_embedder
from assay.languages import load_language
from assay.text.sentences import claiming_sentences

DUTCH = load_language("nl")

LEAST_COSINE = 0.35
SENTENCES = 3
REFUSAL = "Dat weet ik niet, want het staat niet in mijn documenten."


async def answer(question: str, pages: list[str]) -> str:
    """The nearest sentences, the nearest first, or a refusal; near is the mean of a sentence and its paragraph."""
    near: list[tuple[float, str]] = []
    for page in pages:
        for paragraph in page.split("\n\n"):
            said = [sentence for sentence in claiming_sentences(paragraph, DUTCH) if len(sentence.split()) > 3]
            if said:
                whole, *each = await _embedder().cosines(question, [paragraph, *said])
                near += [((whole + cosine) / 2, sentence) for cosine, sentence in zip(each, said, strict=True)]
    best = sorted(near, reverse=True)[:SENTENCES]
    return " ".join(sentence for _, sentence in best) if best and best[0][0] >= LEAST_COSINE else REFUSAL


@cache
def _embedder() -> Embedder:
    return load_embedder("use")
