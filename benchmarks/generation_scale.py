"""Measures the time and memory from documents to folds: extraction, then N sections through topics, folds, leak check.

    python benchmarks/generation_scale.py --n 1000

The sections are made of sentences of the bundled leaflets, drawn at random within a leaflet, ten sections per
document; one document in seven has a section of another leaflet. The figures show what time and memory a collection of
this size takes, not how good its topics are. Needs the extra `generation` and bertopic.
"""

import argparse
import asyncio
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table

from assay.generation import Section
from assay.generation.documents import extract_sections
from assay.generation.folds import compare_leaks, make_folds
from assay.generation.leaflets import leaflets
from assay.generation.topics import SectionTopic
from assay.generation.topics.bertopic_model import fit_bertopic
from assay.generation.topics.discovery import section_vectors
from assay.generation.topics.grid_search import default_grid, search_grid
from assay.judges.embedders import load_embedder

_SECTIONS_PER_DOCUMENT = 10
_STRANGE = 7

Rows = list[tuple[str, float, float, str, float]]


def main() -> None:
    """Prints extraction speed, then the stages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1000, help="Sections (300 or more).")
    n = parser.parse_args().n
    print_machine()
    extraction()
    asyncio.run(stages(n))


def extraction() -> None:
    """Sections per second of the bundled leaflets, as Markdown and as PDF; the second reading counts."""
    rows = []
    for name, folder in (
        ("Markdown", sorted(leaflets().glob("*.md"))),
        ("PDF", sorted((leaflets() / "pdf").glob("*.pdf"))),
    ):
        for _ in range(2):
            begun = time.perf_counter()
            count = sum(len(document.sections) for document in extract_sections(folder))
            seconds = time.perf_counter() - begun
        rows.append((name, len(folder), count, seconds, count / seconds))
    print_table("Extraction", ("format", "documents", "sections", "seconds", "sections/s"), rows)


async def stages(n: int) -> None:
    """The stages on n sections."""
    sections, rows = make_sections(n), Rows()
    embedder = load_embedder("use")
    documents, texts = [s.document for s in sections], [s.full_text for s in sections]
    with stage("embedding", rows, n):
        vectors = await section_vectors(sections, embedder)
    grid = default_grid(n)
    with stage(f"UMAP and HDBSCAN, {len(grid[0]) * len(grid[1])} settings", rows, n):
        settled = search_grid(vectors, documents, grid, seed=0)
    with stage("BERTopic", rows, n):
        topic_model = fit_bertopic(texts, settled.vectors, settled.chosen.smallest, None, ["nl", "en"])
    topics = [
        SectionTopic(section=section.id, topic=int(label), vector=tuple(vector))
        for section, label, vector in zip(sections, topic_model.labels, settled.vectors.round(5).tolist(), strict=True)
    ]
    with stage("folds", rows, n):
        folding = make_folds(sections, topics, sample=500)
    with stage("leak check, with embedding", rows, n):
        shared = await compare_leaks(sections, folding, embedder, 0, lambda _: None)
    print_table(f"{n} sections", ("stage", "seconds", "processor, seconds", "a section", "peak memory, MB"), rows)
    chosen, dropped = folding.chosen, len(folding.before) - len(folding.folds)
    print(
        f"topics {len(topic_model.words)}, outliers {folding.outliers / n:.1%}, chosen: {settled.chosen.dimensions} "
        f"dimensions, smallest {settled.chosen.smallest}; {chosen.split.linkage} {chosen.split.distance}, small fold "
        f"{chosen.small_fold:.2f}, dropped by separation {dropped / len(folding.before):.1%}"
    )
    header = ("folds", "sections", "nearest, mean", "95%", "highest", "alike", "8 words shared")
    print_table("What the folds share", header, [(name, *each[:5], each.sharing) for name, each in shared.items()])


def make_sections(n: int) -> list[Section]:
    """n sections of sentences of the leaflets."""
    random = Random(0)
    subjects = [
        (leaflet.sections, [sentence for s in leaflet.sections for sentence in s.text.split(". ")])
        for leaflet in extract_sections(sorted(leaflets().glob("*.md")))
    ]
    sections = []
    for number in range(n):
        document, place = divmod(number, _SECTIONS_PER_DOCUMENT)
        strange = place == _SECTIONS_PER_DOCUMENT - 1 and document % _STRANGE == 0
        originals, sentences = subjects[random.randrange(len(subjects)) if strange else document % len(subjects)]
        original = random.choice(originals)
        changes = {"id": f"{document}#{place}", "document": f"{document}.md", "position": place}
        text = ". ".join(random.sample(sentences, 4))
        sections.append(original.model_copy(update=changes | {"text": text}))
    return sections


@contextmanager
def stage(name: str, rows: Rows, n: int) -> Iterator[None]:
    """Times a stage by the clock and by the processor, and notes the process's peak memory after it."""
    begun, used = time.perf_counter(), time.process_time()
    yield
    seconds, processor = time.perf_counter() - begun, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows.append((name, seconds, processor, f"{1000 * processor / n:.2f} ms", peak))
    print(f"{name}: {seconds:.0f} s, of the processor {processor:.0f} s", flush=True)


if __name__ == "__main__":
    main()
