from .bound_evidence import AlarmState as AlarmState
from .look import Bound as Bound, BoundState as BoundState, Look as Look, SegmentLook as SegmentLook
from .production_answers import ProductionAnswers as ProductionAnswers
from .production_look import follow_bounds as follow_bounds, look_at_production as look_at_production
