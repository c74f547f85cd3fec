from .decision_rule import (
    NothingRatedError as NothingRatedError,
    decide_versions as decide_versions,
    leave_unsettled as leave_unsettled,
)
from .preferences import (
    PreferenceTable as PreferenceTable,
    estimate_net_wins as estimate_net_wins,
    make_preference_table as make_preference_table,
)
from .variant_decision import VariantDecision as VariantDecision, decide_variants as decide_variants
from .version_decision import (
    Decision as Decision,
    Needs as Needs,
    VersionDifference as VersionDifference,
    VersionEstimate as VersionEstimate,
    decision_as_json as decision_as_json,
    describe_likely as describe_likely,
    give_decision_verdict as give_decision_verdict,
)
from .version_difference import (
    MetricDifference as MetricDifference,
    compare_by_metrics as compare_by_metrics,
    estimate_change as estimate_change,
)
from .version_table import VersionTable as VersionTable
