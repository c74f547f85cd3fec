from .assertion import assert_score as assert_score
