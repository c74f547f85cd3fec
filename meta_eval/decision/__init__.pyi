from .version_decision import Decision as Decision
from .version_decision import Needs as Needs
from .version_decision import VersionDifference as VersionDifference
from .version_decision import VersionEstimate as VersionEstimate
from .version_decision import decide_versions as decide_versions
from .version_table import VersionTable as VersionTable
