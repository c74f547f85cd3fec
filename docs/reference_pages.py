"""Adds the reference to the site: one page per group of public names, and one page with all commands.

The pages are made while the site is built, so that they cannot lag behind the code. Signatures and docstrings are read
by griffe, which imports nothing; it needs a folder `assay` that holds the subpackages, as the installed package does.
"""

import importlib
import inspect
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from reference_groups import GROUPS, NameGroup

PYTHON_PAGE = {"All names": "docs/reference/python.md"}
"""The page with all public names, as the navigation names it."""
SOURCE_TREE = Path("build/source")
"""Where the sources are copied to, as the package `assay`; `mkdocs.yml` names it too."""
HELP_WIDTH = 100
"""Columns of the commands' help on the page."""


def setuptools_settings(root: Path) -> dict[str, Any]:
    """Returns how `pyproject.toml` makes the folders of the repository the package."""
    settings: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["tool"]["setuptools"]


def public_objects(root: Path) -> dict[tuple[str, int], list[str]]:
    """Returns the dotted names of all that packages offer, by its own name and identity: what two offer is one.

    Offered is what a package has in its `__all__`, and what `assay.errors` defines. The groups list of it what users
    may rely on.
    """
    errors = importlib.import_module("assay.errors")

    def is_error(value: Any) -> bool:
        return isinstance(value, type) and issubclass(value, errors.AssayError)

    packages = setuptools_settings(root)["packages"]
    offered = [
        *((package, name) for package in packages for name in getattr(importlib.import_module(package), "__all__", ())),
        *((errors.__name__, name) for name, value in vars(errors).items() if is_error(value)),
    ]
    names: dict[tuple[str, int], list[str]] = {}
    for package, name in offered:
        if not name.startswith("__"):
            key = name, id(getattr(importlib.import_module(package), name))
            names.setdefault(key, []).append(f"{package}.{name}")
    return names


@event_priority(100)  # before mkdocstrings, which leaves out a folder that does not exist
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Copies the sources and enters the reference pages in the navigation."""
    root = Path(config.config_file_path).parent
    copy_sources(root)
    for section in config.nav or []:
        if "Reference" in section:
            section["Reference"] += [
                {"Commands": "docs/reference/commands.md"},
                {"Python": [PYTHON_PAGE, *({group.title: page_path(group)} for group in GROUPS)]},
            ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the text of the reference pages."""
    pages = {"docs/reference/commands.md": commands_page(), PYTHON_PAGE["All names"]: overview_page()}
    pages |= {page_path(group): group_page(group) for group in GROUPS}
    for path, text in pages.items():
        file = File.generated(config, path, content=text)
        file.dest_uri = file.dest_uri.removeprefix("docs/")
        files.append(file)
    return files


def page_path(group: NameGroup) -> str:
    """Returns the address of a group's page within the documentation."""
    return f"docs/reference/{group.page}.md"


def overview_page() -> str:
    """Returns the Markdown of the page with all names, each with the first line of its docstring."""
    parts = ["# All names for Python", "Grouped by what they are for; each name leads to its entry."]
    for group in GROUPS:
        parts.append(f"## {group.title}\n\n{group.summary} [The page]({group.page}.md)")
        parts.append(
            "\n".join(f"- [`{name.rpartition('.')[2]}`][{name}]{first_line(name)}" for name in group.all_names())
        )
    return "\n\n".join([*parts, ""])


def group_page(group: NameGroup) -> str:
    """Returns the Markdown of a group's page: below each heading every name with its docstring."""
    parts = [f"# {group.title}", group.summary]
    if group.example:
        parts.append(f"```python\n{group.example}\n```")
    for heading, names in group.names.items():
        parts.append(f"## {heading}")
        for name in names:
            options = {"heading_level": 3, "show_root_full_path": "true", "toc_label": name.rpartition(".")[2]}
            lines = [f"      {option}: {value}" for option, value in options.items()]
            parts.append("\n".join([f"::: {name}", "    options:", *lines]))
    return "\n\n".join([*parts, ""])


def first_line(name: str) -> str:
    """Returns the first line of a name's docstring, after a colon; "" for a value or a type that has none."""
    package, _, short = name.rpartition(".")
    described = getattr(importlib.import_module(package), short)
    text = inspect.getdoc(described) if isinstance(described, type | FunctionType) else None
    return f": {text.partition(chr(10))[0]}" if text else ""


def commands_page() -> str:
    """Returns the Markdown of the page on the command line: what `--help` prints, command by command."""
    from assay.cli import cli
    from assay.cli.options import advanced_help

    entries = ["# Commands"]
    for context in command_contexts(
        click.Context(cli, info_name="assay", **cli.context_settings | {"max_content_width": HELP_WIDTH})
    ):
        depth = min(context.command_path.count(" "), 1) + 2
        entries.append(f"{'#' * depth} {context.command_path}\n\n```text\n{advanced_help(context)}\n```")
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
