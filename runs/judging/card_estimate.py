"""What a judge's card will take, estimated before anything is asked."""

from dataclasses import dataclass
from typing import Any, NoReturn

from ...judges import Cassette, LiteLLMJudge, Usage
from ...judges.litellm_lookup import known_price
from ...judges.question import Question, ReplyPending
from ...judges.request_size import RequestSize, measure_question
from ...metrics.catalogue import load_metric
from ...metrics.metric import run_to_end
from ...presentation.figure import Figure, format_cost
from ...text.wording import count_of
from .card_scoring import CardRequest


@dataclass(frozen=True, slots=True)
class CardEstimate:
    """What the requests of a card that are not recorded yet will take."""

    requests: int  # how many they are; questions that depend on a reply are not known before it
    recorded: int
    tokens_in: int  # tokens of their prompts, by the length of the texts
    tokens_out: int  # tokens of their replies: as long as the recorded ones, else the most that they may take
    usd: float | None  # what they cost; None where the price is unknown
    seconds: float | None  # how long they take, by the recorded ones; None where none is recorded
    is_free: bool

    @property
    def sentence(self) -> str:
        """What is to be asked, what it takes, and how that was estimated."""
        if not self.requests:
            return f"all {count_of(self.recorded, 'reply', 'replies')} are recorded; nothing is asked"
        most = "" if self.recorded else "at most "
        cost = "free" if self.is_free else "at an unknown price" if self.usd is None else most + format_cost(self.usd)
        time = "" if self.seconds is None else f", {Figure('seconds', self.seconds)} s"
        how = "prompts by the length of their texts, "
        how += (
            f"replies and time as in the {count_of(self.recorded, 'recorded reply', 'recorded replies')}"
            if self.recorded
            else "replies by the most that they may take; the time is not known before the first reply"
        )
        return (
            f"about {count_of(self.requests, 'request')}, {count_of(self.tokens_in, 'token')} of prompts and {most}"
            f"{self.tokens_out:,} of replies, {cost}{time} (estimated: {how}; a question that depends on a reply comes "
            "on top)"
        )


class _Counter:
    """Takes the questions that have no reply yet, and counts them."""

    def __init__(self, judge: LiteLLMJudge) -> None:
        self._judge = judge
        self._price = known_price(judge.settings)
        self.sizes: dict[str, RequestSize] = {}

    def request(self, key: str, question: Question[Any]) -> NoReturn:
        """Counts a question; whoever asked it ends here."""
        self.sizes[key] = measure_question(question, self._judge.settings, self._price)
        raise ReplyPending

    def has_collected(self, _: str) -> bool:
        """False: nothing is answered here."""
        return False


def estimate_card(request: CardRequest) -> CardEstimate:
    """Estimates what a card takes: runs its metrics up to the first missing reply, and asks nobody."""
    return run_to_end(_estimate(request))


async def _estimate(request: CardRequest) -> CardEstimate:
    settings = request.judge.settings
    price = known_price(settings)
    sizes: dict[tuple[int, str], RequestSize] = {}
    usage = Usage()
    for repeat in (0, 1):
        file = Cassette(request.recorded_in, request.mode)
        parameters = settings.for_repeat(repeat).parameters
        async with request.judge.reopen(cassette=file, budget=request.budget, parameters=parameters) as judge:
            counter = _Counter(judge)
            judge.ask_later(counter)
            for card_set in request.sets:
                metric = load_metric(card_set.metric, judge)
                samples = [*card_set.samples, *(s for changed in request.changed(card_set).values() for s in changed)]
                for sample in request.to_probe(card_set) if repeat else samples:
                    try:
                        await metric.assess(sample)
                    except ReplyPending:
                        continue
            usage += judge.usage
            sizes |= {(repeat, key): size for key, size in counter.sizes.items()}
    tokens_in = sum(size.tokens_in for size in sizes.values())
    most_out = sum(size.tokens_out for size in sizes.values())
    tokens_out = round(len(sizes) * usage.tokens_out / usage.calls) if usage.calls else most_out
    return CardEstimate(
        requests=len(sizes),
        recorded=usage.calls,
        tokens_in=tokens_in,
        tokens_out=min(most_out, tokens_out),
        usd=None if price is None else price.cost(tokens_in, min(most_out, tokens_out)),
        seconds=len(sizes) * usage.seconds / usage.calls / settings.concurrency if usage.calls else None,
        is_free=price is not None and price.input == price.output == 0,
    )
