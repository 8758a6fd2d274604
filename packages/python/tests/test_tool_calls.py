"""Calls of tools that wait, on scripted responses."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

import agent_chat
from agent_chat import AgentChat, Answer, AsyncAgentChat

RUN = "0b6c7a1e-57c3-4a52-9c1c-3d9a5a1f0e77"


class Service:
    """Accepts each answer to a call once."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, object]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix(f"/v1/chat/runs/{RUN}/calls/")
        if any(path == seen for seen, _ in self.seen):
            body = {"code": "already_decided", "message": "It is decided.", "http": 409}
            return httpx.Response(409, json=body)
        self.seen.append((path, json.loads(request.content)))
        return httpx.Response(204)


SENT = [
    ("4/decision", {"approve": True}),
    ("5/decision", {"approve": False}),
    ("6/output", {"output": {"total": 12}}),
    ("7/output", {"output": None}),
    ("8/output", {"error": "closed"}),
]


def test_calls_are_decided_and_answered() -> None:
    service = Service()
    http = httpx.Client(transport=httpx.MockTransport(service))
    client = AgentChat(base_url="https://chat.example", api_key="ck_test", http_client=http)
    client.chat.decide(RUN, 4, True)
    client.chat.decide(RUN, 5, False)
    client.chat.send_output(RUN, 6, {"total": 12})
    client.chat.send_output(RUN, 7)
    client.chat.send_output(RUN, 8, error="closed")
    assert service.seen == SENT
    with pytest.raises(agent_chat.InvalidRequestError) as late:
        client.chat.decide(RUN, 4, True)
    assert late.value.code == "already_decided"


def test_calls_are_decided_and_answered_asynchronously() -> None:
    service = Service()

    async def answer() -> None:
        http = httpx.AsyncClient(transport=httpx.MockTransport(service))
        client = AsyncAgentChat(base_url="https://chat.example", api_key="ck_test", http_client=http)
        await client.chat.decide(RUN, 4, True)
        await client.chat.send_output(RUN, 6, {"total": 12})

    asyncio.run(answer())
    assert service.seen == [SENT[0], SENT[2]]


def test_an_answer_knows_its_calls() -> None:
    answer = Answer()
    until = "2026-01-15T12:01:00.000Z"
    answer.add(
        {
            "type": "tool_call",
            "name": "cancel_order",
            "args": {"id": "A-1"},
            "pending": True,
            "waitsFor": "visitor",
            "expiresAt": until,
        },
        f"{RUN}.4",
    )
    answer.add({"type": "tool_call", "name": "cancel_order", "args": {}}, f"{RUN}.5")
    first, second = answer.tool_calls
    assert (first.n, first.waits_for, first.expires_at) == (4, "visitor", until)
    assert (second.n, second.waits_for) == (5, None)
    answer.add({"type": "tool_result", "name": "cancel_order", "output": "two", "call": 5})
    answer.add({"type": "tool_result", "name": "cancel_order", "output": "one", "call": 4})
    assert [call.output for call in answer.tool_calls] == ["one", "two"]
    assert first.waits_for is None
