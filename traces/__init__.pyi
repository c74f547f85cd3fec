from .address import TraceAddress as TraceAddress
from .origin import TraceOrigin as TraceOrigin
from .sink import Sink as Sink
from .sink import WriteResult as WriteResult
from .source import Source as Source
from .source import UnreadTrace as UnreadTrace
from .trace_score import TraceScore as TraceScore
