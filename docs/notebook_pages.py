"""Makes a page of each notebook, with its code and what it printed, without a library for it."""

import json
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds a page beside each notebook, which stays as a file to download."""
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        text = notebook_page(Path(str(file.abs_src_path)))
        page = File.generated(config, page_path(file.src_uri), content=text)
        page.dest_uri = page_path(file.dest_uri).removesuffix(".md") + ".html"
        files.append(page)
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lets links to notebooks, which lead to the files in the repository, lead to their pages on the site."""
    return markdown.replace(".ipynb)", ".md)")


def page_path(notebook: str) -> str:
    """Returns the address of a notebook's page."""
    return notebook.removesuffix(".ipynb") + ".md"


def notebook_page(path: Path) -> str:
    """Returns a notebook as Markdown: texts as they are, code as code, and below it what it printed."""
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    title, *parts = [part for cell in cells for part in cell_parts(cell)]
    download = f'<p><a href="{path.name}" download>Download this notebook</a></p>'
    heading, _, rest = title.partition("\n")
    return "\n\n".join([heading, download, rest.strip(), *parts, ""])


def cell_parts(cell: dict[str, Any]) -> list[str]:
    """Returns the Markdown of a cell: its text, or its code and what it printed."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    printed = ["".join(output["text"]).strip("\n") for output in cell["outputs"] if output["output_type"] == "stream"]
    outputs = [f"```text\n{text}\n```" for text in printed if text]
    return [f"```python\n{source}\n```", *outputs]
