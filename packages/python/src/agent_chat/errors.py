"""What can go wrong, each with what the service said about it."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class AgentChatError(Exception):
    """The base of all errors of this package."""


class ServiceUnreachableError(AgentChatError):
    """The service did not answer: no connection, or no response in time."""


class StreamBrokenError(AgentChatError):
    """The answer's connection was lost, and could not be resumed."""


class ApiError(AgentChatError):
    """The service rejected a request.

    ``code`` is stable and meant for programs; the message is for people.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        details: Mapping[str, Any],
        request_id: Optional[str],
        retry_after: Optional[float],
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.details = details
        #: The id to quote when asking the service's operator.
        self.request_id = request_id
        #: Seconds after which it makes sense to try again.
        self.retry_after = retry_after

    def __str__(self) -> str:
        of = "" if self.request_id is None else f", request {self.request_id}"
        return f"{self.message} ({self.code}, status {self.status}{of})"


class InvalidRequestError(ApiError):
    """400, 405, 409, 413, 415 or 422: the request itself is wrong. ``details["issues"]`` says where."""


class AuthenticationError(ApiError):
    """401: the key or the session token is unknown, expired or revoked."""


class PermissionDeniedError(ApiError):
    """403: the key lacks a scope, the page's origin is not allowed, or the plan's quota is full."""


class NotFoundError(ApiError):
    """404 or 410: it does not exist, or does no longer."""


class VersionConflictError(ApiError):
    """412: the agent was changed by somebody else since it was read."""


class RateLimitError(ApiError):
    """429: a limit is reached. See ``retry_after``."""


class ServiceError(ApiError):
    """5xx: the service or a model provider failed."""


_BY_STATUS = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    410: NotFoundError,
    412: VersionConflictError,
    429: RateLimitError,
}


def error_class(status: int) -> type[ApiError]:
    if status >= 500:
        return ServiceError
    return _BY_STATUS.get(status, InvalidRequestError)
