"""The weakest claim: one false statement makes an answer untrue, however many true ones stand beside it."""

from .faithfulness import Faithfulness


class WeakestClaim(Faithfulness):
    """The support of the answer's least supported claim.

    Formula: the minimum over the claims of P(supported); without probabilities 1 for a supported claim and 0 for
    another. Range: [0, 1]. Options and edge cases: see `Faithfulness`.

    It asks what `faithfulness` asks with the same options, so that both together cost no more than one. The mean hides
    one false claim among many true ones, which is how chatbots are wrong; a support team rates such an answer low.
    """

    name = "weakest_claim"

    def aggregate(self, support: list[float]) -> float:
        """The lowest support."""
        return min(support)
