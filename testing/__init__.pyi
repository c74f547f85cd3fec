from .assertion import aassert_score as aassert_score, assert_score as assert_score
