from .company_terms import CompanyTerms as CompanyTerms
from .hal import Hal as Hal
from .message_type import classify as classify
from .score import Heuristic as Heuristic, explain as explain
from .text_features import (
    ComplexAnswer as ComplexAnswer,
    ComponentsDefined as ComponentsDefined,
    PromptOverlap as PromptOverlap,
    SubjectCombination as SubjectCombination,
)
from .verbatim_guide import VerbatimGuide as VerbatimGuide
