"""What the batches of a journal may take, counted before they are submitted."""

from collections.abc import Iterable

from ...errors import UsageError
from ...text.wording import count_of
from ..budget import Budget, cost_text
from ..request_size import RequestSize
from .batch_journal import Batch

_ROUNDING = 1 + 1e-9


class BatchBudget:
    """Counts what batches took and may still take against a budget.

    Unlike a budget of live calls it covers all sessions of a run: what an earlier one submitted counts. A batch whose
    replies have not come counts for the most that it may take, and so does a request without a reply that may have been
    charged.
    """

    def __init__(self, budget: Budget, batches: Iterable[Batch], model: str) -> None:
        self._budget = budget
        self._model = model
        self._calls, self._tokens, self._usd = 0, 0, 0.0
        for batch in batches:
            self._calls += batch.requests if batch.state != "collected" else batch.replies + batch.lost
            if batch.state == "collected":
                self._tokens += batch.spent_in + batch.spent_out + batch.lost_tokens
                self._usd += (batch.spent_usd or 0.0) + (batch.lost_usd or 0.0)
            else:
                self._tokens += batch.tokens_in + batch.tokens_out
                self._usd += batch.usd or 0.0

    def take(self, size: RequestSize) -> str:
        """Counts a request, unless it does not fit: then says which bound is reached."""
        budget = self._budget
        if budget.usd is not None and size.price is None:
            raise UsageError(
                f"the cost of {self._model} in batches is unknown, so a budget in USD cannot be kept; bound tokens "
                "instead, or give the judge's price in its settings file"
            )
        tokens = size.most_in + size.tokens_out
        usd = size.price.cost(size.most_in, size.tokens_out) if size.price else 0.0
        for unit, units, bound, spent, needed in (
            ("USD", "USD", budget.usd, self._usd + budget.spent_usd, usd),
            ("token", "tokens", budget.tokens, self._tokens + budget.spent_tokens, tokens),
            ("call", "calls", budget.calls, self._calls + budget.begun, 1),
        ):
            if bound is not None and spent + needed > bound * _ROUNDING:
                return (
                    f"the budget of {count_of(bound, unit, units)} is reached: {count_of(self._calls, 'request')} in "
                    f"batches took or may take {count_of(self._tokens, 'token')}, cost "
                    f"{cost_text(self._usd if size.price else None)}; the next one may take {count_of(tokens, 'token')}"
                )
        self._calls += 1
        self._tokens += tokens
        self._usd += usd
        return ""
