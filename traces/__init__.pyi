from .address import (
    TraceAddress as TraceAddress,
    check_sink as check_sink,
    check_source as check_source,
    find_server_url as find_server_url,
    open_sink as open_sink,
    open_source as open_source,
)
from .conversations import join_conversation as join_conversation, join_sessions as join_sessions
from .cursor import (
    OVERLAP as OVERLAP,
    PullCursor as PullCursor,
    TraceFilter as TraceFilter,
    is_known_address as is_known_address,
)
from .http_client import (
    FailedAttempt as FailedAttempt,
    call_again as call_again,
    error_detail as error_detail,
    server_words as server_words,
)
from .langfuse.sink import LangfuseSink as LangfuseSink
from .langfuse.source import LangfuseSource as LangfuseSource
from .mlflow.sink import KEY as KEY, MlflowSink as MlflowSink
from .mlflow.source import MlflowServer as MlflowServer, MlflowSource as MlflowSource
from .otel.sink import OtelSink as OtelSink, event_attributes as event_attributes
from .phoenix.sink import PhoenixSink as PhoenixSink
from .phoenix.source import (
    PhoenixProject as PhoenixProject,
    PhoenixSource as PhoenixSource,
    RatingReader as RatingReader,
)
from .pull import PullRequest as PullRequest, PullResult as PullResult, pull_traces as pull_traces
from .push import PushRequest as PushRequest, PushResult as PushResult, push_scores as push_scores
from .sink import Sink as Sink, TraceScore as TraceScore, WriteResult as WriteResult, send_in_halves as send_in_halves
from .source import Source as Source, TraceOrigin as TraceOrigin, UnreadTrace as UnreadTrace
from .watch.alarms import AlarmAnswer as AlarmAnswer, AlarmMessage as AlarmMessage, deliver_alarm as deliver_alarm
from .watch.judging import watch_queues as watch_queues
from .watch.watch_settings import WatchSettings as WatchSettings, load_watch as load_watch
from .watch.watch_state import WatchState as WatchState, hold_watch as hold_watch
from .watch.watch_step import (
    StepTools as StepTools,
    take_step as take_step,
    take_steps as take_steps,
)
