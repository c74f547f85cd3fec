"""Every import is of a declared dependency, or of an extra whose absence is named; and each has a fitting licence."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import NamedTuple

from distribution_check import MODULES_OF_EXTRAS
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from test_house import syntax_tree

ROOT = Path(__file__).parents[1]

RUN_WITH_EXTRA = {
    "assay.generation": "generation",
    "assay.languages.language": "numeric",
    "assay.metrics.heuristic": "heuristic",
    "assay.metrics.reference_similarity": "bertscore",
    "assay.metrics.numeric": "numeric",
    "assay.runs.score.parquet_run": "tables",
    "assay.traces.otel.sink": "otel",
    "assay.text.entities": "numeric",
    "assay.text.lemmas": "numeric",
    "assay.text.numbers": "numeric",
    **MODULES_OF_EXTRAS,
}
"""Modules or packages that are only reached where another module has made sure of an extra, and the extra."""


class Import(NamedTuple):
    """One absolute import of another package."""

    module: str
    line: int
    package: str
    extras: tuple[str, ...] = ()
    is_deferred: bool = False
    is_caught: bool = False


@cache
def brought_by():
    """The packages that bring a module, by the module, also where the extra is not installed."""
    return packages_distributions()


@cache
def settings():
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def declared(extra=""):
    """The packages that the plain installation declares, or that an extra adds, with the extras that it includes."""
    project = settings()["project"]
    packages = set()
    for line in project["optional-dependencies"][extra] if extra else project["dependencies"]:
        requirement = Requirement(line)
        if requirement.name == "assay":
            packages |= set[str]().union(*map(declared, requirement.extras))
        else:
            packages.add(canonicalize_name(requirement.name))
    return packages


def imports_of(file, module):
    """The imports of other packages, except those that only type checkers see."""
    yield from _imports(syntax_tree(file), Import(module, 0, ""))


def _imports(node, place):
    if isinstance(node, ast.If) and "TYPE_CHECKING" in vars(node.test).values():
        for statement in node.orelse:
            yield from _imports(statement, place)
        return
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        if isinstance(node, ast.Import) or not node.level:
            for name in dict.fromkeys(name.partition(".")[0] for name in names):
                if name not in sys.stdlib_module_names and name != "assay":
                    yield place._replace(line=node.lineno, package=name)
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        place = place._replace(is_deferred=True)
    if isinstance(node, ast.With):
        calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
        guards = [call.args[0].value for call in calls if getattr(call.func, "id", "") == "require_extra"]
        place = place._replace(extras=(*place.extras, *guards))
    if isinstance(node, ast.Try) and any("ImportError" in ast.unparse(handler) for handler in node.handlers):
        place = place._replace(is_caught=True)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):  # no expression holds an import
            yield from _imports(child, place)


@cache
def all_imports():
    imports = []
    for package in settings()["tool"]["setuptools"]["packages"]:
        top, _, rest = package.removeprefix("assay").lstrip(".").partition(".")
        # the folders at the top are the subpackages, except those inside the folder `assay`
        inside = ROOT / "assay" / top if top in {"", "cli"} else ROOT / top
        for file in sorted((inside / rest.replace(".", "/")).glob("*.py")):
            module = package if file.stem == "__init__" else f"{package}.{file.stem}"
            imports += imports_of(file, module)
    return tuple(imports)


def extra_of(module):
    """The extra that a module is only reached with, by the longest name that stands in `RUN_WITH_EXTRA`."""
    while module:
        if module in RUN_WITH_EXTRA:
            return RUN_WITH_EXTRA[module]
        module = module.rpartition(".")[0]
    return None


def problem_of(statement):
    """What is wrong with an import; None where a declared dependency brings the package."""
    owners = {canonicalize_name(name) for name in brought_by().get(statement.package, [statement.package])}
    where = f"{statement.module}:{statement.line} imports {statement.package}"
    if owners & declared() or statement.is_caught:
        return None
    extras = [*statement.extras, *filter(None, [extra_of(statement.module)])]
    if not any(owners & declared(extra) for extra in extras):
        return f"{where}, which {'no dependency' if not extras else f'neither the base nor {extras}'} declares"
    if not statement.is_deferred and statement.module not in modules_of_extras():
        return f"{where} when it is imported: add it to MODULES_OF_EXTRAS, or import it in a function"
    return None


def modules_of_extras():
    """The modules that cannot be imported without an extra."""
    return {module for module in {entry.module for entry in all_imports()} if _is_of_extra(module)}


def _is_of_extra(module):
    return any(module == name or module.startswith(f"{name}.") for name in MODULES_OF_EXTRAS)


def test_every_import_is_declared():
    assert len(all_imports()) > 300  # the walk found the sources
    assert [problem for statement in all_imports() if (problem := problem_of(statement))] == []


def test_the_absence_of_each_extra_is_caught_and_named():
    """`pytest` loads its plugin itself, so that nobody gets there without it."""
    sources = "".join(
        file.read_text(encoding="utf-8")
        for folder in settings()["tool"]["setuptools"]["package-dir"].values()
        for file in (ROOT / folder).rglob("*.py")
    )
    users = {extra for extra in settings()["project"]["optional-dependencies"] if extra not in {"all", "dev", "docs"}}
    needed = {*RUN_WITH_EXTRA.values(), *(extra for statement in all_imports() for extra in statement.extras)}
    assert needed <= users
    unnamed = {
        extra
        for extra in needed - {"pytest"}
        if f'require_extra("{extra}"' not in sources and f'require_packages("{extra}"' not in sources
    }
    assert unnamed == set()


def test_each_dependency_is_imported():
    """A dependency that no line imports any more has to go."""
    owners = {
        canonicalize_name(owner) for statement in all_imports() for owner in brought_by().get(statement.package, ())
    }
    assert declared() - owners == set()


PERMISSIVE = re.compile(
    r"apache|\bmit\b|mit-cmu|\bbsd\b|bsd-|0bsd|\bisc\b|\bzlib\b|python software|python-2|psf|unlicense|public domain|"
    r"boost|hpnd|historical permission|\bcc0\b|zope|mozilla public|mpl|\bofl\b",
    re.IGNORECASE,
)
"""Licences that allow use in an Apache-2.0 package. MPL-2.0 binds changes to its own files only."""

COPYLEFT = re.compile(r"\ba?gpl|affero|general public|sspl|eupl|\bcc-by-nc|commercial", re.IGNORECASE)

BY_HAND = {"locate": "MIT"}  # needed by wordfreq
"""Packages whose metadata is wrong or says nothing: the licence of the LICENSE file that they bring."""

UNCHANGED_LIBRARIES = {"psycopg", "psycopg-binary"}
"""Packages under the LGPL, which may be imported unchanged: the PostgreSQL driver (an extra)."""


def installed(requirement):
    try:
        return distribution(requirement.name)
    except PackageNotFoundError:
        return None


def dependencies(name, extras):
    """All installed packages that a package needs with these extras, each once."""
    seen = set()
    pending = [(name, extras)]
    while pending:
        package, wanted = pending.pop()
        for text in distribution(package).requires or ():
            requirement = Requirement(text)
            environments = [{"extra": extra} for extra in (*wanted, "")]
            if requirement.marker and not any(map(requirement.marker.evaluate, environments)):
                continue
            key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
            installed_package = installed(requirement)
            if installed_package is None or key in seen:
                continue
            seen.add(key)
            pending.append(key)
            yield installed_package


def licence_of(package):
    metadata = package.metadata
    name = canonicalize_name(metadata["Name"])
    if name in BY_HAND:
        return BY_HAND[name]
    if expression := metadata.get("License-Expression"):
        return expression
    classifiers = [line for line in metadata.get_all("Classifier") or () if line.startswith("License ::")]
    texts = [line.rpartition(" :: ")[2] for line in classifiers]
    texts = [text for text in texts if text != "OSI Approved"]
    first_line = (metadata.get("License") or "").strip().split("\n")[0][:100]
    return "; ".join(texts) or first_line


def all_dependencies():
    extras = distribution("assay").metadata.get_all("Provides-Extra") or []
    packages = dependencies("assay", frozenset(extras) - {"dev", "docs"})
    return {canonicalize_name(package.metadata["Name"]): licence_of(package) for package in packages} | {}


def test_every_dependency_has_a_permissive_licence():
    licences = {name: licence for name, licence in all_dependencies().items() if name != "assay"}
    assert len(licences) > 60  # the walk found the packages
    offenders = {
        name: licence
        for name, licence in licences.items()
        if name not in UNCHANGED_LIBRARIES and (not PERMISSIVE.search(licence) or COPYLEFT.search(licence))
    }
    assert offenders == {}


def test_the_exceptions_are_still_needed_and_are_lgpl():
    licences = all_dependencies()
    for name in UNCHANGED_LIBRARIES:
        assert name not in licences or re.search(r"lgpl|lesser", licences[name], re.IGNORECASE), name
