"""The computed verdicts that take the place of a judge's."""

from collections.abc import Sequence

from ...eval_sets.sample import Sample
from ...languages import FALLBACK
from ..claim import Claim
from .checking import CheckedClaim, check
from .lexicon import LANGUAGES
from .numeric_claims import MOST_SENTENCES, tables_of_claims
from .parse.scene import scene_of
from .parse.sentence_reading import read_sentence


def with_computed_verdicts(sample: Sample, judged: Sequence[Claim]) -> list[Claim]:
    """The claims, those that can be computed with the computation's verdict; the others as the judge left them.

    A claim with several numbers is decided when one of them is wrong, or when all of it could be checked. Of an answer
    with more than `MOST_SENTENCES` claims the first ones are computed.
    """
    tables = tables_of_claims(sample)
    language = sample.language or FALLBACK
    if not tables or language not in LANGUAGES:
        return list(judged)
    scene = scene_of(tables, language, sample.user_input)
    found = []
    for claim in judged[:MOST_SENTENCES]:
        read, scene = read_sentence(claim.text, scene)
        found.append(_decided(claim, [check(claim.text, each, "grammar") for each in read]))
    return [*found, *judged[MOST_SENTENCES:]]


def _decided(claim: Claim, checked: Sequence[CheckedClaim]) -> Claim:
    deciding = next((each for each in checked if each.verdict == "contradicted"), None)
    if deciding is None and checked and all(each.verdict == "supported" for each in checked):
        deciding = checked[0]
    if deciding is None:
        return claim
    shown = tuple(each.evidence() for each in checked)
    return Claim(claim.text, deciding.verdict, deciding.reason, computed=shown, overruled=claim)
