"""Mints session tokens for the visitors of a site.

The API key stays here; the browser gets the token, or the service's error with its status. Both Python
examples have this file.
"""

from __future__ import annotations

import json
import logging
import math
import os
import threading
import time
import urllib.error
import urllib.request
from typing import Mapping, NamedTuple, Optional

#: For one visitor. The widget needs a token every 14 minutes, and each page that is opened needs one.
TOKENS_PER_MINUTE = 10
TIMEOUT_S = 10
MAX_VISITORS = 100_000

_log = logging.getLogger("chat_session")
_lock = threading.Lock()
#: When the current minute of each visitor ends, and how many tokens it has had.
_minutes: dict[str, tuple[float, int]] = {}


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: str


def chat_session(
    *, origin: Optional[str], address: Optional[str], forwarded_for: Optional[str]
) -> Answer:
    """The response to a visitor; blocks while the service answers.

    ``origin`` is the header ``Origin``, ``address`` that of the connection, ``forwarded_for`` the header
    ``X-Forwarded-For``. The origin is sent on unchanged, because the service decides which sites may
    embed the agent. Never build it from ``Host``, which the caller chooses.
    """
    wait = _seconds_to_wait(_visitor_address(address, forwarded_for))
    if wait > 0:
        return _too_many_requests(wait)
    request = urllib.request.Request(
        f"{os.environ['CHAT_URL']}/v1/widget/session",
        data=json.dumps({"agentId": os.environ["CHAT_AGENT_ID"]}).encode(),
        headers={
            "authorization": f"Bearer {os.environ['CHAT_API_KEY']}",
            "content-type": "application/json",
            "origin": origin or os.environ["SITE_ORIGIN"],
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as minted:
            return _answer(minted.status, minted.read().decode())
    except urllib.error.HTTPError as rejected:
        body = rejected.read().decode()
        _log.error("the service answered %s %s", rejected.code, body)
        return _answer(rejected.code, body, rejected.headers.get("retry-after"))
    except OSError as error:
        _log.error("cannot reach the service: %s", error)
        return _answer(502, "{}")


def _answer(status: int, body: str, retry_after: Optional[str] = None) -> Answer:
    headers = {"content-type": "application/json", "cache-control": "no-store"}
    if retry_after is not None:
        headers["retry-after"] = retry_after
    return Answer(status, headers, body)


def _too_many_requests(wait: int) -> Answer:
    """An error as the service writes it, so that the widget understands it."""
    message = "Too many requests from this address."
    body = json.dumps({"code": "rate_limit_exceeded", "message": message, "http": 429})
    return _answer(429, body, str(wait))


def _visitor_address(address: Optional[str], forwarded_for: Optional[str]) -> str:
    """``TRUSTED_PROXY_HOPS`` proxies in front of this program append to ``X-Forwarded-For``.

    Entries to the left of theirs come from the caller, who may write anything.
    """
    hops = int(os.environ.get("TRUSTED_PROXY_HOPS", "0"))
    entries = [entry.strip() for entry in (forwarded_for or "").split(",")]
    if 0 < hops <= len(entries) and entries[-hops]:
        return entries[-hops]
    return address or ""


def _seconds_to_wait(visitor: str) -> int:
    """Counts a request; 0 if it is within the visitor's limit."""
    now = time.monotonic()
    with _lock:
        if len(_minutes) > MAX_VISITORS:
            for key in [key for key, (ends, _) in _minutes.items() if ends <= now]:
                del _minutes[key]
        ends, count = _minutes.get(visitor, (0.0, 0))
        if ends <= now:
            ends, count = now + 60, 0
        _minutes[visitor] = (ends, count + 1)
    return math.ceil(ends - now) if count >= TOKENS_PER_MINUTE else 0
