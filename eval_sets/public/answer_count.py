"""How many answers a set should have: a well-formed part of it is not taken for the whole."""

from ...text.wording import count_of
from .original_form import OriginalFormError
from .set_facts import PREFIX, PublicSet
from .set_files import describe_removal
from .set_place import find_place


def check_count(facts: PublicSet, count: int) -> list[str]:
    """Compares the number of answers that were read with the one that Assay knows, if it knows one.

    Returns:
        What to tell the user where the set's authors say another number: they may have counted otherwise, so that the
        files are read, but nobody vouches for them. Nothing where the number fits, or Assay knows none.

    Raises:
        OriginalFormError: The number was counted in the files of this commit: these are others.
    """
    if facts.answers is None or facts.answers == count:
        return []
    wanted = f"expected {count_of(facts.answers, 'answer')}"
    first, came = facts.files[0].path, count_of(count, "answer")
    if facts.answers_counted:
        counted = f"as were counted at commit {facts.commit[:10]}"
        raise OriginalFormError(first, f"{first}: {wanted}, {counted}; it has {came}")
    address = facts.address(first)
    in_folder = find_place().folder is not None
    cure = f"replace it by {address}" if in_folder else describe_removal(facts, first)
    return [
        f"{PREFIX}{facts.name}: {wanted}, as its authors say; it has {came}: this may be a "
        f"part of the set or another version, for which Assay pins no checksum; compare it with {address}, or {cure}"
    ]


def describe_unknown_count(facts: PublicSet, count: int) -> list[str]:
    """Says that nobody here can tell whether a set is whole, each time that it is read.

    A pin does not change that: it says that a file is the one that came first, and that may have been a part.

    Returns:
        One line; nothing where Assay knows the number of answers, or the checksum of every file.
    """
    unknown = [file.path for file in facts.files if file.sha256 is None]
    if facts.answers is not None or not unknown:
        return []
    return [
        f"{PREFIX}{facts.name}: its files hold {count_of(count, 'answer')}; Assay knows neither how many there should "
        f"be nor the checksum of {unknown[0]}, so that this may be a part of the set; compare it with "
        f"{facts.address(unknown[0])}"
    ]
