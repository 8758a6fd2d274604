"""Client of the Agent Chat Service: agents, sessions, streamed answers, knowledge and usage."""

from ._async import AsyncAgentChat, AsyncChatStream, AsyncPages
from ._frames import Answer, FrameDecoder, ToolCall
from ._request import VERSION as __version__
from ._sync import AgentChat, ChatStream, Pages
from .errors import (
    AgentChatError,
    ApiError,
    AuthenticationError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServiceError,
    ServiceUnreachableError,
    StreamBrokenError,
    VersionConflictError,
)

__all__ = [
    "AgentChat",
    "AgentChatError",
    "Answer",
    "ApiError",
    "AsyncAgentChat",
    "AsyncChatStream",
    "AsyncPages",
    "AuthenticationError",
    "ChatStream",
    "FrameDecoder",
    "InvalidRequestError",
    "NotFoundError",
    "Pages",
    "PermissionDeniedError",
    "RateLimitError",
    "ServiceError",
    "ServiceUnreachableError",
    "StreamBrokenError",
    "ToolCall",
    "VersionConflictError",
    "__version__",
]
