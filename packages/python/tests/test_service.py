from __future__ import annotations

import asyncio
import os
from uuid import uuid4

import httpx
import pytest
from conftest import BODY

import agent_chat
from agent_chat import AgentChat, AsyncAgentChat


def test_agents(client: AgentChat) -> None:
    key = str(uuid4())
    agent = client.agents.create(BODY, idempotency_key=key)  # type: ignore[arg-type]
    assert client.agents.create(BODY, idempotency_key=key) == agent  # type: ignore[arg-type]
    assert client.agents.get(agent["id"]) == agent
    renamed = client.agents.update(agent["id"], {"name": "Shop"}, version=1)
    assert (renamed["name"], renamed["version"]) == ("Shop", 2)
    with pytest.raises(agent_chat.VersionConflictError):
        client.agents.update(agent["id"], {"name": "Late"}, version=1)
    assert [one["version"] for one in client.agents.versions(agent["id"])] == [2, 1]
    for _ in range(3):
        client.agents.create(BODY)  # type: ignore[arg-type]
    listed = [one["id"] for one in client.agents.list(limit=2)]
    assert len(listed) == len(set(listed)) >= 4
    client.agents.delete(agent["id"])
    with pytest.raises(agent_chat.NotFoundError):
        client.agents.get(agent["id"])


def test_an_answer(client: AgentChat, agent_id: str) -> None:
    with client.chat.stream(agent_id, "Hello?") as stream:
        frames = list(stream)
    assert frames[0]["type"] == "start" and frames[-1]["type"] == "done"
    answer = stream.answer
    assert "You asked: “Hello?”" in answer.text
    assert (answer.finish_reason, answer.error) == ("stop", None)
    assert answer.output_tokens > 0
    again = client.chat.resume(answer.run_id or "")
    assert again.until_done().text == answer.text
    late = client.chat.resume(answer.run_id or "", after=len(frames) - 1)
    assert [frame["type"] for frame in late] == ["done"]


def test_a_conversation(client: AgentChat, agent_id: str) -> None:
    first = client.chat.ask(agent_id, "Hello?")
    second = client.chat.ask(
        agent_id,
        [
            {"role": "user", "content": "Hello?"},
            {"role": "assistant", "content": first.text},
            {"role": "user", "content": "And now?"},
        ],
        conversation_id=first.conversation_id,
        temperature=0.5,
    )
    assert second.conversation_id == first.conversation_id
    transcript = client.conversations.get(first.conversation_id or "")
    assert [run["runId"] for run in transcript["runs"]] == [first.run_id, second.run_id]
    assert first.conversation_id in [one["id"] for one in client.conversations.list(agent_id=agent_id)]
    client.conversations.delete(first.conversation_id or "")
    with pytest.raises(agent_chat.NotFoundError):
        client.conversations.get(first.conversation_id or "")


def test_an_answer_is_asked_for_again(client: AgentChat, agent_id: str) -> None:
    first = client.chat.ask(agent_id, "Hello?")
    again = client.chat.ask(
        agent_id, "Hello there?", conversation_id=first.conversation_id, replaces=first.run_id
    )
    runs = client.conversations.get(first.conversation_id or "")["runs"]
    assert [run.get("superseded", False) for run in runs] == [True, False]
    assert (runs[1]["runId"], runs[1].get("replaces")) == (again.run_id, first.run_id)
    with pytest.raises(agent_chat.ApiError) as foreign:
        client.chat.ask(agent_id, "Hello?", conversation_id=str(uuid4()), replaces=first.run_id)
    assert foreign.value.details["issues"][0]["path"] == "replaces"


def test_a_message_is_asked_once(client: AgentChat, agent_id: str) -> None:
    key = str(uuid4())
    runs = [client.chat.ask(agent_id, "Once?", idempotency_key=key).run_id for _ in range(2)]
    assert runs[0] == runs[1]


class _CutTransport(httpx.HTTPTransport):
    """Cuts each event stream after some bytes, a few more each time."""

    def __init__(self) -> None:
        super().__init__()
        self.cuts = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            return response
        self.cuts += 1
        return httpx.Response(
            response.status_code, headers=response.headers, stream=_Cut(response, 150 * self.cuts)
        )


class _Cut(httpx.SyncByteStream):
    def __init__(self, response: httpx.Response, size: int) -> None:
        self._response = response
        self._left = size

    def __iter__(self):  # type: ignore[no-untyped-def]
        for chunk in self._response.stream:  # type: ignore[union-attr]
            yield chunk[: self._left]
            self._left -= len(chunk)
            if self._left <= 0:
                raise httpx.ReadError("cut")

    def close(self) -> None:
        self._response.close()


def test_a_lost_connection_is_resumed(agent_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_chat._sync.time.sleep", lambda _: None)
    transport = _CutTransport()
    with AgentChat(http_client=httpx.Client(transport=transport)) as client:
        whole = AgentChat().chat.ask(agent_id, "Long?", idempotency_key="lost-1")
        with client.chat.stream(agent_id, "Long?", idempotency_key="lost-1") as stream:
            ids = [frame["type"] for frame in stream]
    assert transport.cuts > 3
    assert stream.answer.text == whole.text
    assert ids.count("start") == ids.count("done") == 1


class _BufferingTransport(httpx.HTTPTransport):
    """Delivers no byte of a stream."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(request.url.raw_path.decode())
        response = super().handle_request(request)
        if "content-length" in response.headers:
            return response
        response.close()
        raise httpx.ReadTimeout("silent", request=request)


def test_a_buffered_stream_is_read_by_polls(agent_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_chat._sync.time.sleep", lambda _: None)
    transport = _BufferingTransport()
    whole = AgentChat().chat.ask(agent_id, "Long?", idempotency_key="buffered-1")
    with AgentChat(http_client=httpx.Client(transport=transport)) as client:
        for key in ("buffered-1", str(uuid4())):
            assert client.chat.ask(agent_id, "Long?", idempotency_key=key).text == whole.text
    streamed, *polled = transport.paths
    assert streamed == "/v1/chat/stream"
    # The second message begins with a poll.
    assert polled.count("/v1/chat/stream?wait=25") == 2
    assert all(path.endswith("?wait=25") for path in polled)


def test_stop(client: AgentChat, agent_id: str) -> None:
    with client.chat.stream(agent_id, "Wait for me. " * 500) as stream:
        for frame in stream:
            if frame["type"] == "delta":
                stream.stop()
    assert stream.answer.finish_reason == "cancelled"


def test_sessions(client: AgentChat, agent_id: str) -> None:
    minted = client.sessions.mint(agent_id, origin="https://shop.example")
    assert minted["sessionToken"].startswith("cs_")
    client.sessions.revoke(minted["sessionToken"])
    named = client.sessions.mint(
        agent_id, origin="https://shop.example", visitor={"id": "customer-1042"}
    )
    assert named["sessionToken"] != minted["sessionToken"]
    with pytest.raises(agent_chat.ApiError) as undeclared:
        client.sessions.mint(
            agent_id,
            origin="https://shop.example",
            visitor={"id": "customer-1042", "variables": {"unknown": 1}},
        )
    assert undeclared.value.code == "schema_validation_failed"
    with pytest.raises(agent_chat.PermissionDeniedError) as rejected:
        client.sessions.mint(agent_id, origin="https://evil.example")
    assert rejected.value.code == "origin_not_allowed"


def test_bound_sessions(client: AgentChat, agent_id: str) -> None:
    assert client.sessions.mint(agent_id, origin="https://shop.example", bind=True)
    with pytest.raises(agent_chat.PermissionDeniedError):
        client.sessions.mint(agent_id, bind=True)
    client.agents.update(agent_id, {"nativeApps": True})
    assert client.sessions.mint(agent_id, bind={"jkt": "A" * 43})["sessionToken"]


def test_knowledge(client: AgentChat) -> None:
    base = client.knowledge_bases.create({"name": "Shop"})
    text = client.knowledge_bases.add_document(
        base["id"], "# Returns\n\nWithin thirty days.", title="Returns", media_type="text/markdown"
    )
    file = client.knowledge_bases.add_document(base["id"], b"Opening hours: 9 to 5.", title="Hours.txt")
    for document in (text, file):
        while client.knowledge_bases.get_document(base["id"], document["id"])["state"] == "processing":
            pass
    found = client.knowledge_bases.search(base["id"], "thirty days", limit=1)
    assert [passage["documentId"] for passage in found] == [text["id"]]
    assert len(list(client.knowledge_bases.documents(base["id"], limit=1))) == 2
    client.knowledge_bases.update(base["id"], {"description": "All of it"})
    client.knowledge_bases.delete_document(base["id"], file["id"])
    client.knowledge_bases.delete(base["id"])


def test_feedback(client: AgentChat, agent_id: str) -> None:
    run_id = client.chat.ask(agent_id, "Hello?").run_id
    assert run_id is not None
    with pytest.raises(agent_chat.NotFoundError):
        client.chat.feedback(run_id)
    before = client.agents.feedback(agent_id)["down"]
    client.chat.rate(run_id, "up")
    client.chat.rate(run_id, "down", comment="Too long", reasons=["tone"])
    feedback = client.chat.feedback(run_id)
    assert (feedback["rating"], feedback["comment"]) == ("down", "Too long")
    assert client.agents.feedback(agent_id)["down"] == before + 1
    for _ in range(2):
        client.chat.withdraw_feedback(run_id)
    assert client.agents.feedback(agent_id)["down"] == before
    with pytest.raises(agent_chat.InvalidRequestError):
        client.chat.rate(run_id, "up", reasons=["tone"] * 9)


def test_usage(client: AgentChat, agent_id: str) -> None:
    client.chat.ask(agent_id, "Hello?")
    assert client.usage.read()["runs"] > 0
    with pytest.raises(agent_chat.InvalidRequestError) as rejected:
        client.usage.read(since="yesterday")
    assert rejected.value.details["issues"][0]["path"] == "from"


def test_errors_say_what_the_service_said_and_never_the_key(client: AgentChat) -> None:
    with pytest.raises(agent_chat.InvalidRequestError) as invalid:
        client.agents.create({**BODY, "name": ""})  # type: ignore[arg-type, typeddict-item]
    assert (invalid.value.code, invalid.value.status) == ("schema_validation_failed", 400)
    assert invalid.value.request_id is not None
    key = "ck_live_nobody"
    with AgentChat(api_key=key) as stranger:
        assert key not in repr(stranger)
        with pytest.raises(agent_chat.AuthenticationError) as unknown:
            stranger.agents.get(str(uuid4()))
    assert key not in str(unknown.value)
    with AgentChat(base_url="http://127.0.0.1:9", max_retries=0) as nowhere:
        with pytest.raises(agent_chat.ServiceUnreachableError):
            nowhere.usage.read()


def test_retries_wait_as_long_as_the_service_says(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("agent_chat._sync.time.sleep", waits.append)
    answers = [httpx.Response(429, headers={"retry-after": "7"}), httpx.Response(503), httpx.ReadError("x")]

    def handle(_: httpx.Request) -> httpx.Response:
        answer = answers.pop(0) if answers else httpx.Response(200, json={"id": "a"})
        if isinstance(answer, Exception):
            raise answer
        return answer

    with AgentChat(http_client=httpx.Client(transport=httpx.MockTransport(handle))) as client:
        assert client.agents.get("a")["id"] == "a"
    assert waits[0] == 7 and len(waits) == 3


def test_async(agent_id: str) -> None:
    async def many() -> list[str]:
        async with AsyncAgentChat() as client:
            agents = [agent["id"] async for agent in client.agents.list(limit=1)]
            assert agent_id in agents
            answers = await asyncio.gather(*[client.chat.ask(agent_id, f"Question {n}") for n in range(5)])
            async with client.chat.stream(agent_id, "Hello?") as stream:
                frames = [frame async for frame in stream]
            assert frames[-1]["type"] == "done"
            return [answer.text for answer in answers]

    texts = asyncio.run(many())
    assert all(f"Question {n}" in text for n, text in enumerate(texts))


def test_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert os.environ["AGENT_CHAT_URL"].rstrip("/") in repr(AgentChat())
    monkeypatch.delenv("AGENT_CHAT_API_KEY")
    with pytest.raises(agent_chat.AgentChatError, match="api_key is missing"):
        AgentChat()
