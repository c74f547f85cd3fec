"""Where the files of public sets come from (GitHub, a mirror or a folder), and the cache that they come into."""

import os
import re
from pathlib import Path
from stat import S_ISDIR
from typing import NamedTuple

from ...errors import InputError
from ...regular_files import kind_of_no_folder
from ...text.wording import count_of
from ...value_messages import shorten
from .set_facts import PREFIX, PublicSet, format_size

VARIABLE = "ASSAY_PUBLIC_SETS"
_CREDENTIALS = re.compile(r"//[^/@]*@")
_SCHEMES = ("http://", "https://")


class SetPlace(NamedTuple):
    """Where the files of public sets come from.

    Attributes:
        mirror: The address that `ASSAY_PUBLIC_SETS` names; "" for GitHub's own.
        folder: The folder that it names: nothing is downloaded; None where it names none.
    """

    mirror: str = ""
    folder: Path | None = None


def find_place() -> SetPlace:
    """Reads where the files come from out of the variable `ASSAY_PUBLIC_SETS`.

    Raises:
        InputError: It names neither an address with http(s) nor a folder that exists.
    """
    value = os.environ.get(VARIABLE, "")
    if not value:
        return SetPlace()
    if value.startswith(_SCHEMES):
        return SetPlace(mirror=value)
    problem = "is no address that Assay can use"
    if "://" not in value:
        try:
            folder = Path(value).expanduser()
            if S_ISDIR(folder.stat().st_mode):
                return SetPlace(folder=folder)
            problem = f"is {kind_of_no_folder(folder)}"
        except (FileNotFoundError, NotADirectoryError):
            problem = "does not exist"
        except (OSError, RuntimeError) as error:  # a user without a home is a RuntimeError
            problem = f"cannot be looked for ({getattr(error, 'strerror', None) or error})"
    cure = "name a folder with the files or a mirror (https://...), or unset it"
    raise InputError(f"{VARIABLE}: {shorten(hide_password(value), 200)} {problem}; {cure}")


def hide_password(address: str) -> str:
    """The same address without the name and the password that may stand in it.

    Example:
        >>> hide_password("https://me:secret@mirror.example.org/sets")
        'https://mirror.example.org/sets'
    """
    return _CREDENTIALS.sub("//", address, count=1)


def cache_folder() -> Path:
    """The folder that downloaded sets are kept in."""
    from platformdirs import user_cache_path

    return user_cache_path("assay") / "public_sets"


def check_downloads_allowed(facts: PublicSet) -> SetPlace:
    """Where a set is downloaded from.

    Raises:
        InputError: `ASSAY_PUBLIC_SETS` names a folder, into which nothing is downloaded; or as `find_place`.
    """
    place = find_place()
    if place.folder is not None:
        raise InputError(
            f"{PREFIX}{facts.name}: nothing is downloaded while {VARIABLE} names a folder ({place.folder}); unset it"
        )
    return place


def describe_offer(facts: PublicSet) -> str:
    """What would be downloaded: how large, from where, under which licence, and into which folder.

    Raises:
        InputError: As `find_place`.
    """
    mirror = find_place().mirror
    what = count_of(len(facts.files), "file")
    if facts.tables:
        what += " and the tables that it names, each a small file of its own"
    size = format_size(facts.size) if facts.size else "of a size that Assay does not know (at most 1 GB per file)"
    return (
        f"{what}, {size}, from "
        f"{hide_password(facts.address('', mirror)).rstrip('/')}, licence {facts.licence_text}, into {cache_folder()}"
    )
