"""Adds the reference to the site: one page per package with its public names, and one page with all commands.

The pages are made while the site is built, so that they cannot lag behind the code. Signatures and docstrings are read
by griffe, which imports nothing; it needs a folder `assay` that holds the subpackages, as the installed package does.
"""

import importlib
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

SOURCE_TREE = Path("build/source")
"""Where the sources are copied to, as the package `assay`; `mkdocs.yml` names it too."""
HELP_WIDTH = 100
"""Columns of the commands' help on the page."""


def setuptools_settings(root: Path) -> dict[str, Any]:
    """Returns how `pyproject.toml` makes the folders of the repository the package."""
    settings: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["tool"]["setuptools"]


def public_packages(root: Path) -> list[str]:
    """Returns the dotted names of the packages that offer public names, in the order of `pyproject.toml`."""
    return [package for package in setuptools_settings(root)["packages"] if public_names(package)]


def public_names(package: str) -> list[str]:
    """Returns what a package offers in its `__all__`, without dunder names."""
    module = importlib.import_module(package)
    return [name for name in getattr(module, "__all__", ()) if not name.startswith("__")]


@event_priority(100)  # before mkdocstrings, which leaves out a folder that does not exist
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Copies the sources and enters the reference pages in the navigation."""
    root = Path(config.config_file_path).parent
    copy_sources(root)
    for section in config.nav or []:
        if "Reference" in section:
            section["Reference"] += [
                {"Commands": "docs/reference/commands.md"},
                {"Python": [{package: page_path(package)} for package in public_packages(root)]},
            ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the text of the reference pages."""
    pages = {"docs/reference/commands.md": commands_page()}
    for package in public_packages(Path(config.config_file_path).parent):
        pages[page_path(package)] = package_page(package)
    for path, text in pages.items():
        file = File.generated(config, path, content=text)
        file.dest_uri = file.dest_uri.removeprefix("docs/")
        files.append(file)
    return files


def page_path(package: str) -> str:
    """Returns the address of a package's page within the documentation."""
    return f"docs/reference/{package}.md"


def package_page(package: str) -> str:
    """Returns the Markdown of a package's page: its docstring and every public name with its own."""
    described = importlib.import_module(package).__doc__ or ""
    entries = [f"::: {package}.{name}" for name in public_names(package)]
    return "\n\n".join([f"# {package}", described, *entries, ""])


def commands_page() -> str:
    """Returns the Markdown of the page on the command line: what `--help` prints, command by command."""
    from assay.cli import cli

    entries = ["# Commands"]
    for context in command_contexts(click.Context(cli, info_name="assay", max_content_width=HELP_WIDTH)):
        depth = min(context.command_path.count(" "), 1) + 2
        entries.append(f"{'#' * depth} {context.command_path}\n\n```text\n{context.command.get_help(context)}\n```")
    return "\n\n".join([*entries, ""])


def command_contexts(context: click.Context) -> Iterator[click.Context]:
    """Yields the context of a command and those of all commands below it."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            if command and not command.hidden:
                yield from command_contexts(click.Context(command, parent=context, info_name=name))


def copy_sources(root: Path) -> None:
    """Copies the modules into one folder `assay`, as an installation lays them out; griffe follows no links."""
    shutil.rmtree(root / SOURCE_TREE, ignore_errors=True)
    for package, folder in setuptools_settings(root)["package-dir"].items():
        for module in (path for suffix in ("py", "pyi") for path in (root / folder).rglob(f"*.{suffix}")):
            copy = (root / SOURCE_TREE).joinpath(*package.split("."), module.relative_to(root / folder))
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(head_examples(module.read_text(encoding="utf-8")), encoding="utf-8")


def head_examples(source: str) -> str:
    """Puts each example of a docstring below the heading `Examples:`, without which it is shown as a quotation."""
    source = re.sub(r"^( +)Example:$", r"\1Examples:", source, flags=re.MULTILINE)
    lines: list[str] = []
    indent = None  # of an example without a heading, while it lasts
    for line, before in zip(source.split("\n"), ["", *source.split("\n")], strict=False):
        prompt = re.match(r"( +)>>> ", line)
        if prompt and not before.strip() and indent is None and not _is_headed(lines, len(prompt[1])):
            indent = prompt[1]
            lines.append(f"{indent}Examples:")
        elif indent is not None and (line.strip() == '"""' or (not before.strip() and line.strip() and not prompt)):
            indent = None
        lines.append(line if indent is None or not line.strip() else f"    {line}")
    return "\n".join(lines)


def _is_headed(lines: list[str], indent: int) -> bool:
    """Returns whether the next outer line is the heading `Examples:`."""
    outer = (line for line in reversed(lines) if line.strip() and len(line) - len(line.lstrip()) < indent)
    return next(outer, "").strip() == "Examples:"
