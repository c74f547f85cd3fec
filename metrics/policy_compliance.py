"""Policy kept: the share of the policy's rules that no turn of the assistant broke."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import JudgeError
from ..eval_sets.sample import Sample
from ..judges import ChoiceQuestion, Judge, Usage
from ..judges.typed_questions import MOST_OPTIONS, YES
from ..judges.usage import NO_USAGE
from ..languages import language_or_fallback
from ..text.demands import find_rules
from ..text.wording import count_of
from .judged import JudgedMetric, mean_probability, numbered
from .metric import compute_for
from .score import Score, scored, skipped


class PolicyKept(JudgedMetric):
    """The share of the policy's rules that no turn of the assistant broke.

    Formula: the mean over the rules of 1 - P(broken); of a judge without probabilities, the rules that were not broken
    / all. Range: [0, 1]. A rule that never applied was not broken. Without a policy, or a rule in it, the
    conversation is skipped.

    The policy is the first system message. Its rules are the sentences and list items that oblige somebody (`must`,
    `only`, `never`, `at most`; "Ask for the number"), each with its heading, lead-in or label. A sentence that only
    states a fact is no rule; `others` in the evidence says how many these are.

    The evidence has `rules`, each with its `text`, `broken`, `probability` (of being broken) and the `turn` in which it
    was broken, by the judge's choice between the assistant's turns (null where it was not broken, or the judge names
    none; `no_turns` says why where its reply could not be used).

    Args:
        judge: Says of each rule whether it was broken (one request, whatever the number of rules), and where one was,
            in which turn (one more request).
        prompts: The prompts of the requests.
    """

    name = "policy_kept"
    needs = ("messages", "policy")
    measures = "conversation"
    judge: Judge

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has each rule, whether it was broken and in which turn.

        Raises:
            JudgeError: The judge gave no usable reply, or the conversation does not fit into its context.
        """
        policy = sample.policy or ""
        turns = assistant_turns(sample)
        if not turns:
            return skipped("the assistant says and does nothing in this conversation")
        rules, others = await compute_for(sample, find_rules, policy, language_or_fallback(sample.language, "demands"))
        evidence: dict[str, Any] = {"others": others} | self.asked_with(sample, "policy_kept")
        if not rules:
            return skipped("the policy has no rule: no sentence or list item that obliges somebody", evidence)
        statement = language_or_fallback(sample.language, "statements").statements.rule_broken
        statements = numbered(statement.format(rule=rule) for rule in rules)
        thread, answers = await self.decide_about_thread("policy_kept", sample, statements)
        broken = [answer.option == YES for answer in answers.values()]
        broken_rules = [rule for rule, is_broken in zip(rules, broken, strict=True) if is_broken]
        try:
            places, usage = await self._find_turns(sample, broken_rules, turns, thread.text)
        except JudgeError as error:  # the verdicts stand without the turns
            places, usage = {}, NO_USAGE
            evidence["no_turns"] = str(error)
        evidence["rules"] = [
            {
                "text": rule,
                "broken": answer.option == YES,
                "probability": answer.probability,
                "turn": places.get(rule),
            }
            for rule, answer in zip(rules, answers.values(), strict=True)
        ]
        evidence |= thread.evidence()
        kept = len(rules) - sum(broken)
        evidence["ratio"] = kept / len(rules)
        probability = mean_probability(answers)
        value = evidence["ratio"] if probability is None else 1 - probability
        return scored(value, _reason(evidence["rules"], kept), evidence, answers.usage + usage)

    async def _find_turns(
        self, sample: Sample, broken: Sequence[str], turns: Sequence[int], conversation: str
    ) -> tuple[Mapping[str, int], Usage]:
        """The turn in which each broken rule was broken, where the judge names one."""
        if len(turns) == 1 or not broken:
            return dict.fromkeys(broken, turns[0]), NO_USAGE
        question = language_or_fallback(sample.language, "statements").statements.turn_of_breach
        options = dict.fromkeys(map(str, turns[-MOST_OPTIONS:]), "")
        questions = [
            ChoiceQuestion(str(number), question.format(rule=rule), options)
            for number, rule in enumerate(broken, start=1)
        ]
        request = self.request("policy_kept", sample, {"conversation": conversation}, questions)
        answers = await self.judge.decide(request)  # one without an answer names no turn
        chosen = {rule: answer.option for rule, answer in zip(broken, answers.values(), strict=True)}
        return {rule: int(option) for rule, option in chosen.items() if option is not None}, answers.usage


def assistant_turns(sample: Sample) -> list[int]:
    """The places of the assistant's messages that say or call something."""
    return [
        turn
        for turn, message in enumerate(sample.messages)
        if message.role == "assistant" and (message.text.strip() or message.tool_calls)
    ]


def _reason(rules: Sequence[dict[str, Any]], kept: int) -> str:
    reason = f"{kept} of {count_of(len(rules), 'rule')} kept"
    broken = max((rule for rule in rules if rule["broken"]), key=lambda rule: rule["probability"] or 0, default=None)
    if broken is None:
        return reason
    place = "" if broken["turn"] is None else f" in turn {broken['turn']}"
    return f'{reason}; broken{place}: "{broken["text"]}"'
