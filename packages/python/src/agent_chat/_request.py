"""Requests and responses without a connection: shared by both clients."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional
from uuid import uuid4

import httpx

from .errors import ApiError, error_class

VERSION = "0.1.0"
#: Longer waits than this are left to the caller.
MAX_WAIT_S = 30.0
_RETRIED_STATUSES = (429, 502, 503, 504)
#: Limits that do not pass within such a wait.
_FINAL_CODES = ("plan_limit_exceeded", "quota_exceeded", "tenant_suspended")


@dataclass(frozen=True)
class Request:
    """One call of the API. ``repeatable`` calls may be sent again after a failure."""

    method: str
    path: str
    json: Any = None
    params: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    files: Any = None
    repeatable: bool = True

    def query(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.params.items() if value is not None}


def get(path: str, **params: Any) -> Request:
    return Request("GET", path, params=params)


def delete(path: str, json: Any = None, headers: Optional[Mapping[str, str]] = None, **params: Any) -> Request:
    return Request("DELETE", path, json=json, headers=headers or {}, params=params)


def create(
    path: str,
    json: Any = None,
    *,
    idempotency_key: Optional[str] = None,
    headers: Optional[Mapping[str, str]] = None,
    files: Any = None,
) -> Request:
    """A POST that creates something, at most once however often it is sent."""
    key = idempotency_key or str(uuid4())
    return Request(
        "POST", path, json=json, files=files, headers={"idempotency-key": key, **(headers or {})}
    )


def post(path: str, json: Any = None) -> Request:
    """A POST that changes nothing when it is sent twice."""
    return Request("POST", path, json=json)


def patch(path: str, json: Any, *, if_match: Optional[str] = None) -> Request:
    headers = {} if if_match is None else {"if-match": if_match}
    # Sent again after it succeeded, it would be a conflict with itself.
    return Request("PATCH", path, json=json, headers=headers, repeatable=if_match is None)


def to_error(response: httpx.Response) -> ApiError:
    """The error of a response that was read completely."""
    try:
        body = response.json()
    except ValueError:
        body = {}
    if not isinstance(body, dict):
        body = {}
    code = body.get("code")
    message = body.get("message")
    return error_class(response.status_code)(
        message if isinstance(message, str) else f"the service responded with {response.status_code}",
        status=response.status_code,
        code=code if isinstance(code, str) else "unknown",
        details=body.get("details") or {},
        request_id=response.headers.get("x-request-id"),
        retry_after=_retry_after(response),
    )


def _retry_after(response: httpx.Response) -> Optional[float]:
    try:
        return float(response.headers["retry-after"])
    except (KeyError, ValueError):
        return None


def wait_before_retry(error: Exception, request: Request, attempt: int) -> Optional[float]:
    """Seconds to wait before sending a failed request again, or ``None`` to give up."""
    backoff: float = min(0.5 * 2**attempt, 8.0) * random.uniform(0.75, 1.0)
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
        return backoff
    if not request.repeatable:
        return None
    if isinstance(error, httpx.TransportError):
        return backoff
    if not isinstance(error, ApiError) or error.status not in _RETRIED_STATUSES:
        return None
    if error.code in _FINAL_CODES:
        return None
    wait = error.retry_after if error.retry_after is not None else backoff
    return wait if wait <= MAX_WAIT_S else None
