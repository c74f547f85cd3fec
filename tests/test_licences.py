"""Every dependency, core and extra, direct and indirect, has a licence that an Apache-2.0 package may depend on."""

import re
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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
