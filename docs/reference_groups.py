"""The public names of Python by what they are for: each stands in one group, and each group is a page.

`docs/reference_pages.py` makes the pages; `tests/docs/test_site.py` compares the names with those of the packages.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple


class NameGroup(NamedTuple):
    """Names that are used together: one page of the reference.

    Attributes:
        page: The page's file, without `.md`.
        title: Its heading.
        summary: What the names are for, in a sentence.
        names: The dotted names below their headings, in the order of the page.
        example: The shortest use, which stands above all entries; "" for none.
    """

    page: str
    title: str
    summary: str
    names: Mapping[str, Sequence[str]]
    example: str = ""

    def all_names(self) -> Iterator[str]:
        """Yields the names, without the headings."""
        for names in self.names.values():
            yield from names


def _of(package: str, names: str) -> tuple[str, ...]:
    return tuple(f"{package}.{name}" for name in names.split())


GROUPS = (
    NameGroup(
        "evaluate",
        "Evaluate and results",
        "Score samples with metrics, and look at the results.",
        {
            "Evaluate": _of("assay", "evaluate aevaluate"),
            "Results": _of("assay", "Results Score Claim Verdict Place"),
            "Which version is better": (
                *_of("assay", "decide Decision"),
                *_of(
                    "assay.meta_eval.decision",
                    "VersionEstimate VersionDifference MetricDifference Needs decide_versions VersionTable",
                ),
            ),
        },
        'from assay import evaluate\n\nresults = evaluate("answers.csv", judge="openai/gpt-4o-mini")\nprint(results)',
    ),
    NameGroup(
        "samples",
        "Sets and samples",
        "Read, convert and write the answers under test.",
        {
            "Samples": ("assay.Sample", *_of("assay.eval_sets", "Table Message ToolCall FunctionCall")),
            "Reading and writing": (
                "assay.load_set",
                *_of("assay.eval_sets", "read_set read_samples bundled_sets public_sets download_public_set"),
                "assay.write_set",
            ),
            "Preferences": _of("assay.eval_sets", "Preference read_preferences write_preferences is_preference_file"),
        },
    ),
    NameGroup(
        "judges",
        "Judges",
        "Choose who judges, with recordings and bounds.",
        {
            "Who judges": (
                *_of("assay.judges", "JudgeLike ModelLike"),
                *_of("assay", "LiteLLMJudge Judge JudgeSettings"),
                *_of("assay.judges", "open_judge load_settings bundled_judge_names"),
            ),
            "Recordings and bounds": (
                "assay.Budget",
                *_of("assay.judges", "Cassette Mode ReplyStore ReplyCounts Usage LostCalls"),
            ),
        },
    ),
    NameGroup(
        "questions",
        "Questions to a judge",
        "Ask a judge yourself, as the metrics do, and write prompts.",
        {
            "Typed questions": _of(
                "assay.judges", "Request Predicate ChoiceQuestion ScoreQuestion Level TypedQuestion Answers Answer"
            ),
            "Questions of any shape": _of("assay.judges", "Question Reply RawReply PlainText Choice"),
            "Prompts": _of(
                "assay.prompts",
                "Prompts Prompt PromptMessage BUNDLED OTHER_LANGUAGE bundled_prompts bundled_prompt_text prompt_names "
                "read_prompt read_prompt_as",
            ),
            "Which prompt or judge agrees better": _of("assay.meta_eval.decision", "decide_variants VariantDecision"),
        },
    ),
    NameGroup(
        "metrics",
        "Metrics",
        "What is measured by a judge; [what each is for](../metrics.md).",
        {
            "Claims of an answer": _of(
                "assay", "Faithfulness WeakestClaim FactualCorrectness AnswerCorrectness Factoid"
            ),
            "The answer as a whole": (
                *_of("assay", "AnswerRelevance Citations Declined NoiseSensitivity TopicAdherence"),
                *_of("assay.metrics", "JudgeTruthfulness JudgeRelatedness JudgeCompleteness"),
            ),
            "The contexts": _of("assay", "ContextPrecision ContextRecall ContextRelevance"),
            "Questions of your own": _of("assay", "PredicateMetric RubricMetric"),
        },
    ),
    NameGroup(
        "conversation_metrics",
        "Metrics of a conversation",
        "What is measured of a whole conversation; [what each is for](../metrics.md).",
        {
            "By a judge": _of("assay.metrics", "Resolved PolicyKept"),
            "By rules, and by a judge where there is one": _of("assay.metrics", "Handover Effort Consistent"),
            "Without a judge": _of("assay.metrics", "ToolCalls"),
        },
    ),
    NameGroup(
        "computed_metrics",
        "Metrics without a judge",
        "What is computed, and metrics of your own.",
        {
            "Metrics of your own": (
                *_of("assay", "metric Metric"),
                "assay.metrics.ComputedMetric",
                *_of("assay", "scored skipped failed"),
            ),
            "Baselines and overlap with a reference": _of(
                "assay.metrics",
                "TokenOverlap RougeLPrecision AnswerLength Rouge1 Rouge2 RougeL Bleu BertScore",
            ),
            "Baselines of conversations": _of("assay.metrics", "ConversationTurns ConversationLength ThanksAtEnd"),
            "Numbers": ("assay.NumericClaims",),
            "The heuristic score": (
                "assay.Heuristic",
                *_of(
                    "assay.metrics.heuristic",
                    "CompanyTerms ComponentsDefined ComplexAnswer PromptOverlap Hal SubjectCombination VerbatimGuide "
                    "classify",
                ),
            ),
        },
    ),
    NameGroup(
        "ratings",
        "Ratings and agreement",
        "Bring ratings and scores together, and see which metric agrees with people.",
        {
            "Ratings": _of("assay.runs.ratings", "RatingQueue AnswerPair QueueSettings Judgement OpenItem"),
            "Scores and ratings in files": (
                *_of("assay.eval_sets", "read_score_files read_ratings ReadOptions ScoreSource Item flat_rows flatten"),
                *_of("assay.meta_eval", "join_sources JoinedScores"),
            ),
            "Preferences between versions": _of(
                "assay.meta_eval.decision",
                "PreferenceTable make_preference_table estimate_net_wins",
            ),
            "Why answers are bad": (
                *_of(
                    "assay.runs.failures",
                    "group_failures Failures "
                    "FailureGroup FailureText write_failure_report "
                    "render_failure_report view_failures failures_block failures_as_json",
                ),
                *_of(
                    "assay.meta_eval",
                    "cluster_by_ward choose_group_count measure_clustering Measures",
                ),
            ),
            "Reports": (
                *_of("assay.meta_eval.report", "write_report render_report"),
                *_of("assay.presentation", "Report"),
                *_of(
                    "assay.runs.judging",
                    "make_card CardSet make_card_set JudgeCard SetCard card_report comparison_report",
                ),
                *_of(
                    "assay.runs.decision",
                    "write_decision_report render_decision_report decision_block version_table difference_table "
                    "version_chart difference_chart view_decision",
                ),
            ),
        },
    ),
    NameGroup(
        "production",
        "A chatbot in production",
        "Estimate its quality at every look, and say what changed; [what that promises](../statistics.md).",
        {
            "A look": _of(
                "assay.meta_eval.monitoring",
                "look_at_production ProductionAnswers Bound Look BoundState SegmentLook follow_bounds AlarmState",
            ),
        },
    ),
    NameGroup(
        "traces",
        "Traces",
        "Pull answers from where they are kept, and push scores back; [what each tool tells](../production.md).",
        {
            "Pull": _of("assay.traces", "pull_traces PullRequest PullResult join_sessions"),
            "Push": _of("assay.traces", "push_scores PushRequest PushResult"),
            "Tools": _of(
                "assay.traces",
                "open_source open_sink Source Sink TraceAddress TraceOrigin UnreadTrace TraceScore WriteResult",
            ),
        },
    ),
    NameGroup(
        "runs",
        "Stored runs",
        "Keep runs, and go on with them.",
        {
            "Runs": _of(
                "assay.runs",
                "Store Plan RunOptions run_plan Outcome Progress ScoringRequest OpenedMetrics score_samples StoredRun "
                "RunWriter",
            ),
        },
    ),
    NameGroup(
        "suites",
        "Suites and gates",
        "Run an evaluation each night, and let gates decide.",
        {"Suites": _of("assay.runs.suite", "load_suite run_suite Suite SuiteOutcome NightlyReport")},
    ),
    NameGroup(
        "generation",
        "Generation",
        "Make sets from documents.",
        {
            "Documents, topics, folds": (
                *_of("assay.generation.documents", "extract_sections Extraction"),
                *_of("assay.generation", "Section read_sections write_sections"),
                *_of("assay.generation", "find_topics TopicDiscovery SectionTopic"),
                *_of("assay.generation.folds", "make_folds FoldPlan require_documents FoldError Separate"),
                *_of("assay.generation", "Fold read_folds write_folds"),
            ),
        },
    ),
    NameGroup(
        "bots",
        "Generation: chatbots",
        "Ask chatbots the questions of a set.",
        {
            "Chatbots": _of(
                "assay.generation.crosseval",
                "load_bot Bot BotAnswer cross_evaluate compare_bots Setup Exchange exchange_samples split_questions "
                "SplitResult SplitSummary summarise_split Page build_pages read_pages",
            ),
        },
    ),
    NameGroup(
        "testing",
        "Testing",
        "Assertions in your own tests; the [plugin](../nightly.md#tests-in-pytest) adds a judge and samples.",
        {"Assertions": _of("assay.testing", "assert_score")},
    ),
    NameGroup(
        "languages",
        "Languages and texts",
        "What differs by language, and what is found in a text.",
        {
            "Language packs": _of(
                "assay.languages",
                "find_language load_language language_codes language_or_fallback plain_code packs_with Language "
                "FALLBACK read_yaml parse_yaml",
            ),
            "Numbers and entities in a text": _of(
                "assay.text",
                "find_numbers parse_number known_unit Number NumberFormat NumeralValue find_entities find_unstated "
                "states_fact Entity KINDS",
            ),
        },
    ),
    NameGroup(
        "errors",
        "Errors",
        "One root, and a child for each case that a caller would treat differently.",
        {
            "Errors": (
                "assay.AssayError",
                *_of(
                    "assay.errors",
                    "UsageError InputError JudgeError ReplyError CassetteMiss EvaluationEnded JudgeUnavailable "
                    "BudgetReached",
                ),
            )
        },
    ),
)
"""The pages in their order, `evaluate` first."""
