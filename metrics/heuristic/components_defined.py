"""Components Defined (Lassche et al., 2024, V-B): what the answer names is in the context or the question."""

from ...text.components import MOST_COMPONENTS, find_components, unspecified_components
from ...text.wording import count_of
from ..score import Score, scored
from .feature import Feature, SampleTexts, bound_evidence


def components_defined(named: int, unspecified: int) -> float:
    """The share of the named components that are specified, in [0, 1]; 1 where none is named: none is invented."""
    return (named - unspecified) / named if named else 1.0


class ComponentsDefined(Feature):
    """The share of the menu items, buttons and settings in the answer that the contexts or the question specify."""

    name = "heuristic.components_defined"

    def score_texts(self, texts: SampleTexts) -> Score:
        """Always scored: an answer that names no component has 1."""
        named = [component.name for component in find_components(texts.answer, texts.language)]
        unspecified = unspecified_components(texts.answer, (texts.question, *texts.contexts), texts.language)
        value = components_defined(min(len(named), MOST_COMPONENTS), len(unspecified))
        evidence = {"components": named[:MOST_COMPONENTS], "unspecified": unspecified}
        evidence |= bound_evidence("components are looked up", len(named), MOST_COMPONENTS)
        if not named:
            return scored(value, "the answer names no menu item, button or setting", evidence)
        reason = (
            f"{len(named) - len(unspecified)} of the {count_of(len(named), 'component')} stand in the context or "
            "question"
        )
        return scored(value, reason + (f"; not {', '.join(unspecified)}" if unspecified else ""), evidence)
