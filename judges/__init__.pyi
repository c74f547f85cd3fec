from .batch.batch_journal import (
    BatchJournal as BatchJournal,
    Failure as Failure,
    read_results as read_results,
    request_body as request_body,
)
from .batch.provider import find_provider as find_provider
from .budget import Budget as Budget
from .cassette import (
    Cassette as Cassette,
    Mode as Mode,
    QuestionKeys as QuestionKeys,
    RecordedLines as RecordedLines,
    Recording as Recording,
    format_line as format_line,
    likely_alternatives as likely_alternatives,
    locked as locked,
    make_recording as make_recording,
    parse_line as parse_line,
)
from .completion import complete as complete
from .connection import ModelLike as ModelLike
from .embedders import (
    Embedder as Embedder,
    LiteLLMEmbedder as LiteLLMEmbedder,
    UniversalSentenceEncoder as UniversalSentenceEncoder,
    load_embedder as load_embedder,
)
from .entailment import cut_windows as cut_windows, pinned_revision as pinned_revision
from .fast_path import acompletion as acompletion
from .judge import (
    Judge as Judge,
    JudgeLike as JudgeLike,
    open_judge as open_judge,
)
from .litellm_lookup import (
    find_context_limit as find_context_limit,
    load_litellm as load_litellm,
    missing_api_key as missing_api_key,
)
from .local import choose_slots as choose_slots
from .probabilities import (
    choose_option as choose_option,
    option_probabilities as option_probabilities,
    read_option as read_option,
)
from .python_model import conversation_text as conversation_text
from .question import (
    Choice as Choice,
    PlainText as PlainText,
    Question as Question,
    RawReply as RawReply,
    Reply as Reply,
)
from .retry import (
    AdaptiveLimiter as AdaptiveLimiter,
    is_passing as is_passing,
    is_too_many as is_too_many,
    retry_after as retry_after,
    without_objects as without_objects,
)
from .run import LiteLLMJudge as LiteLLMJudge, ReplyStore as ReplyStore
from .secrets import (
    Scrubber as Scrubber,
    recordable_parameters as recordable_parameters,
    recordable_url as recordable_url,
)
from .settings import (
    JUDGE_FILE as JUDGE_FILE,
    RECORDED as RECORDED,
    JudgeSettings as JudgeSettings,
    bundled_judge_names as bundled_judge_names,
    load_settings as load_settings,
)
from .structured import parse_reply as parse_reply
from .transports import choose_transport as choose_transport
from .transports.decisions import read_answers as read_answers
from .typed_questions import (
    Answer as Answer,
    Answers as Answers,
    ChoiceQuestion as ChoiceQuestion,
    Level as Level,
    Predicate as Predicate,
    Request as Request,
    ScoreQuestion as ScoreQuestion,
    TypedQuestion as TypedQuestion,
)
from .usage import LostCalls as LostCalls, ReplyCounts as ReplyCounts, Usage as Usage
