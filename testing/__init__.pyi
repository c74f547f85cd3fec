from .assertion import aassert_score as aassert_score
from .assertion import assert_score as assert_score
