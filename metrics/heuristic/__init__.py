
from .company_terms import CompanyTerms
from .complex_answer import ComplexAnswer
from .components_defined import ComponentsDefined
from .hal import Hal
from .prompt_overlap import PromptOverlap
from .subject_combination import SubjectCombination
from .verbatim_guide import VerbatimGuide

__all__ = [
    "CompanyTerms",
    "ComplexAnswer",
    "ComponentsDefined",
    "Hal",
    "PromptOverlap",
    "SubjectCombination",
    "VerbatimGuide",
]
