"""Gives the site's pages the paths that they have in the repository, so that one link works there and here."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

BESIDE_DOCS = (
    "eval_sets/README.md",
    "benchmarks/README.md",
    "benchmarks/results/figures.md",
    "benchmarks/results/tables.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Moves `meta.md` to `docs/meta.md`, its address as it was, and adds the pages that lie outside `docs/`."""
    root = Path(config.config_file_path).parent
    pages = []
    for file in files:
        if file.src_dir == config.docs_dir:
            moved = File.generated(
                config, f"docs/{file.src_uri}", abs_src_path=file.abs_src_path, inclusion=file.inclusion
            )
            moved.dest_uri = file.dest_uri
            pages.append(moved)
        else:
            pages.append(file)
    pages += [File.generated(config, path, abs_src_path=str(root / path)) for path in BESIDE_DOCS]
    return Files(pages)
