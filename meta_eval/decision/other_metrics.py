"""What other metrics say of versions: shown beside a decision, never chosen for it."""

import numpy as np

from .version_decision import OtherDifference
from .version_difference import estimate_change
from .version_questions import VersionQuestions
from .version_table import VersionTable


def compare_other_metrics(table: VersionTable) -> tuple[OtherDifference, ...]:
    """Compares each version with the one in use by each further metric, each row by itself."""
    rows = []
    for name, scores in table.others.items():
        questions = VersionQuestions.of_columns(table, scores, scores)
        for rival in range(1, len(table.versions)):
            differences = questions.ratings[:, rival] - questions.ratings[:, 0]
            known = ~np.isnan(differences)
            one = estimate_change(differences[known], questions.group[known])
            if one.value is not None:
                rows.append(
                    OtherDifference(name, table.versions[0], table.versions[rival], one.value, one.low, one.high, one.p)
                )
    return tuple(rows)
