"""The deterministic heuristic scorer (Lassche et al., 2024, III to VI): no judge, no key, and it explains itself."""

from .company_terms import CompanyTerms
from .complex_answer import ComplexAnswer
from .components_defined import ComponentsDefined
from .hal import Hal
from .message_type import classify
from .prompt_overlap import PromptOverlap
from .score import Heuristic
from .subject_combination import SubjectCombination
from .verbatim_guide import VerbatimGuide

__all__ = [
    "CompanyTerms",
    "ComplexAnswer",
    "ComponentsDefined",
    "Hal",
    "Heuristic",
    "PromptOverlap",
    "SubjectCombination",
    "VerbatimGuide",
    "classify",
]
