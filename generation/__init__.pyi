from .section import Fold as Fold
from .section import Section as Section
from .section import read_folds as read_folds
from .section import read_sections as read_sections
from .section import write_folds as write_folds
from .section import write_sections as write_sections
