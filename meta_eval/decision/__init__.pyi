from .decision_rule import decide_versions as decide_versions
from .version_decision import Decision as Decision
from .version_decision import Needs as Needs
from .version_decision import OtherDifference as OtherDifference
from .version_decision import VersionDifference as VersionDifference
from .version_decision import VersionEstimate as VersionEstimate
from .version_table import VersionTable as VersionTable
