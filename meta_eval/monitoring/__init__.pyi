from .bound import Bound as Bound
from .look import BoundState as BoundState
from .look import Look as Look
from .look import SegmentLook as SegmentLook
from .production_answers import ProductionAnswers as ProductionAnswers
