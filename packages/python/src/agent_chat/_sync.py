"""The synchronous client, written from ``_async.py``."""

from __future__ import annotations

import time
import os
from types import TracebackType
from typing import (
    Any,
    Iterator,
    Generic,
    Literal,
    Mapping,
    Optional,
    Sequence,
    TypeVar,
    Union,
    cast,
)
from uuid import uuid4

import httpx
from typing_extensions import Self

from . import _request as requests
from ._frames import Answer, FrameDecoder
from ._request import Request
from .errors import AgentChatError, ApiError, ServiceUnreachableError, StreamBrokenError
from .types import (
    Agent,
    AgentBody,
    AgentFeedback,
    AgentPatch,
    BoundKey,
    ChatMessage,
    Conversation,
    Document,
    Feedback,
    Frame,
    KnowledgeBase,
    KnowledgeBaseBody,
    KnowledgeBasePatch,
    MintedSession,
    MintVisitor,
    Passage,
    Transcript,
    UsageReport,
)

T = TypeVar("T")

#: The service sends a comment every 10 seconds, so a silence means a lost connection, or before the
#: first byte a proxy that buffers streams.
STREAM_SILENCE_S = 15.0
#: How long the service may wait for a frame before it answers a poll.
POLL_WAIT_S = 25
POLL_PAUSE_S = 1.0
#: How often a broken stream is resumed without a new frame in between.
MAX_RESUMES = 8


class AgentChat:
    """A client of one service, for a backend with an API key.

    ``api_key`` defaults to the environment's ``AGENT_CHAT_API_KEY``, ``base_url`` to
    ``AGENT_CHAT_URL``. Use it as a context manager, or call ``close()``.
    """

    def __init__(
        self,
        *,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        timeout: float = 30.0,
        max_retries: int = 3,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        url = base_url or os.environ.get("AGENT_CHAT_URL")
        key = api_key or os.environ.get("AGENT_CHAT_API_KEY")
        if not url:
            raise AgentChatError("base_url is missing; set it or AGENT_CHAT_URL")
        if not key:
            raise AgentChatError("api_key is missing; set it or AGENT_CHAT_API_KEY")
        self._url = url.rstrip("/")
        self._headers = {
            "authorization": f"Bearer {key}",
            "user-agent": f"agent-chat-python/{requests.VERSION}",
        }
        self._timeout = timeout
        self._max_retries = max_retries
        self._owns_http = http_client is None
        #: True once polls have worked where a stream was buffered.
        self._polls = False
        self._http = http_client or httpx.Client()
        self.agents = Agents(self)
        self.sessions = Sessions(self)
        self.chat = Chat(self)
        self.conversations = Conversations(self)
        self.knowledge_bases = KnowledgeBases(self)
        self.usage = Usage(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def _send(self, request: Request) -> httpx.Response:
        """Sends a request, again after failures that pass. Raises ``AgentChatError``."""
        for attempt in range(self._max_retries + 1):
            try:
                response = self._http.request(
                    request.method,
                    self._url + request.path,
                    json=request.json,
                    params=request.query(),
                    headers={**self._headers, **request.headers},
                    files=request.files,
                    timeout=self._timeout,
                )
                if response.is_success:
                    return response
                raise requests.to_error(response)
            except (httpx.TransportError, ApiError) as error:
                self._wait(error, request, attempt)
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, error: Exception, request: Request, attempt: int) -> None:
        """Waits before the next attempt, or raises the error if there is none."""
        wait = requests.wait_before_retry(error, request, attempt)
        if wait is not None and attempt < self._max_retries:
            time.sleep(wait)
        elif isinstance(error, ApiError):
            raise error
        else:
            raise ServiceUnreachableError(f"the service did not answer: {error!r}") from error

    def _json(self, request: Request) -> Any:
        return (self._send(request)).json()


class Pages(Generic[T]):
    """A list of the service, read page by page while it is iterated."""

    def __init__(self, client: AgentChat, path: str, params: Mapping[str, Any]) -> None:
        self._client = client
        self._path = path
        self._params = dict(params)

    def page(self, cursor: Optional[str] = None) -> tuple[list[T], Optional[str]]:
        """One page, and the cursor of the next one."""
        body = self._client._json(requests.get(self._path, **{**self._params, "cursor": cursor}))
        return cast("list[T]", body["data"]), body.get("nextCursor")

    def __iter__(self) -> Iterator[T]:
        cursor: Optional[str] = None
        while True:
            items, cursor = self.page(cursor)
            for item in items:
                yield item
            if cursor is None:
                return


class _Resource:
    def __init__(self, client: AgentChat) -> None:
        self._client = client


class Agents(_Resource):
    def create(self, body: AgentBody, *, idempotency_key: Optional[str] = None) -> Agent:
        request = requests.create("/v1/agents", body, idempotency_key=idempotency_key)
        return cast(Agent, self._client._json(request))

    def get(self, agent_id: str) -> Agent:
        return cast(Agent, self._client._json(requests.get(f"/v1/agents/{agent_id}")))

    def list(self, *, limit: Optional[int] = None) -> Pages[Agent]:
        return Pages(self._client, "/v1/agents", {"limit": limit})

    def update(
        self, agent_id: str, patch: AgentPatch, *, version: Optional[int] = None
    ) -> Agent:
        """Changes an agent; with ``version``, only if it is still the current one.

        Raises ``VersionConflictError`` otherwise.
        """
        if_match = None if version is None else f'"{version}"'
        request = requests.patch(f"/v1/agents/{agent_id}", patch, if_match=if_match)
        return cast(Agent, self._client._json(request))

    def delete(self, agent_id: str) -> None:
        self._client._send(requests.delete(f"/v1/agents/{agent_id}"))

    def feedback(
        self, agent_id: str, *, since: Optional[str] = None, until: Optional[str] = None
    ) -> AgentFeedback:
        """How the agent's answers were rated, by day; by default those of the last 30 days (UTC)."""
        path = f"/v1/agents/{agent_id}/feedback"
        request = requests.get(path, **{"from": since, "to": until})
        return cast(AgentFeedback, self._client._json(request))

    def versions(self, agent_id: str, *, limit: Optional[int] = None) -> Pages[Agent]:
        return Pages(self._client, f"/v1/agents/{agent_id}/versions", {"limit": limit})


class Sessions(_Resource):
    def mint(
        self,
        agent_id: str,
        *,
        origin: Optional[str] = None,
        visitor: Optional[MintVisitor] = None,
        bind: Union[Literal[True], BoundKey, None] = None,
    ) -> MintedSession:
        """A token for a page's visitor. ``origin`` is the ``Origin`` header that the browser sent.

        ``visitor`` names the person, and sets the agent's variables. With ``bind`` the token works
        only with a key of the visitor's browser or app: the first one, or ``{"jkt": …}``. An app
        without pages has no ``origin``, and needs ``bind``.
        """
        body: dict[str, Any] = {"agentId": agent_id}
        if visitor is not None:
            body["visitor"] = visitor
        if bind is not None:
            body["bind"] = bind
        headers = None if origin is None else {"origin": origin}
        request = requests.create("/v1/widget/session", body, headers=headers)
        return cast(MintedSession, self._client._json(request))

    def revoke(self, session_token: str) -> None:
        request = requests.delete("/v1/widget/session", {"sessionToken": session_token})
        self._client._send(request)


class Chat(_Resource):
    def stream(
        self,
        agent_id: str,
        messages: Union[str, Sequence[ChatMessage]],
        *,
        conversation_id: Optional[str] = None,
        replaces: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        **overrides: Any,
    ) -> ChatStream:
        """Asks an agent. Nothing is sent before the result is iterated.

        ``messages`` is one question or the whole conversation. ``replaces`` is the run of that
        conversation whose answer is asked for again, or whose question is changed. ``overrides`` are
        the other fields of the request, such as ``temperature``.
        """
        asked = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        body = {"agentId": agent_id, "messages": list(asked), **overrides}
        if conversation_id is not None:
            body["conversationId"] = conversation_id
        if replaces is not None:
            body["replaces"] = replaces
        return ChatStream(self._client, body, idempotency_key or str(uuid4()))

    def ask(
        self, agent_id: str, messages: Union[str, Sequence[ChatMessage]], **options: Any
    ) -> Answer:
        """Asks an agent and returns the whole answer."""
        with self.stream(agent_id, messages, **options) as stream:
            return stream.until_done()

    def resume(self, run_id: str, *, after: int = 0) -> ChatStream:
        """The frames of a run after number ``after``, and those that follow."""
        return ChatStream(self._client, None, "", run_id=run_id, after=after)

    def cancel(self, run_id: str) -> None:
        """Stops a run; nothing happens if it has ended."""
        self._client._send(requests.post(f"/v1/chat/runs/{run_id}/cancel"))

    def decide(self, run_id: str, n: int, approve: bool) -> None:
        """Approves or rejects the call of frame ``n``, which waits for the visitor or for a person.

        Raises ``ApiError`` with the code ``already_decided`` if it does not wait any more.
        """
        path = f"/v1/chat/runs/{run_id}/calls/{n}/decision"
        self._client._send(Request("POST", path, json={"approve": approve}, repeatable=False))

    def send_output(
        self, run_id: str, n: int, output: Any = None, *, error: Optional[str] = None
    ) -> None:
        """Answers the call of frame ``n``, which waits for a page, with JSON or with an error.

        Raises ``ApiError`` with the code ``already_decided`` if it does not wait any more, and
        ``InvalidRequestError`` if the output does not match the tool's schema: then it still waits.
        """
        path = f"/v1/chat/runs/{run_id}/calls/{n}/output"
        body = {"output": output} if error is None else {"error": error}
        self._client._send(Request("POST", path, json=body, repeatable=False))

    def rate(
        self,
        run_id: str,
        rating: Literal["up", "down"],
        *,
        comment: Optional[str] = None,
        reasons: Sequence[str] = (),
    ) -> None:
        """Rates the answer of a run that has ended. Replaces earlier feedback as a whole."""
        body: dict[str, Any] = {"rating": rating}
        if comment is not None:
            body["comment"] = comment
        if reasons:
            body["reasons"] = list(reasons)
        self._client._send(Request("PUT", f"/v1/chat/runs/{run_id}/feedback", json=body))

    def feedback(self, run_id: str) -> Feedback:
        """The feedback on an answer. Raises ``NotFoundError`` if it is not rated."""
        request = requests.get(f"/v1/chat/runs/{run_id}/feedback")
        return cast(Feedback, self._client._json(request))

    def withdraw_feedback(self, run_id: str) -> None:
        """Withdraws the feedback on an answer, if there is any."""
        self._client._send(requests.delete(f"/v1/chat/runs/{run_id}/feedback"))


class ChatStream:
    """The frames of one answer, in order and each once, however often the connection is lost."""

    def __init__(
        self,
        client: AgentChat,
        body: Optional[Mapping[str, Any]],
        idempotency_key: str,
        *,
        run_id: Optional[str] = None,
        after: int = 0,
    ) -> None:
        self._client = client
        self._body = body
        self._key = idempotency_key
        self._response: Optional[httpx.Response] = None
        self._position = f"{run_id}.{after}" if run_id and after else ""
        self._polls = client._polls
        self._begun = False
        #: What the frames have said so far.
        self.answer = Answer(run_id=run_id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection. The run goes on for 30 seconds; ``stop()`` ends it at once."""
        response, self._response = self._response, None
        if response is not None:
            response.close()

    def stop(self) -> None:
        """Stops the agent's work. The remaining frames say how the run ended."""
        if self.answer.run_id is not None:
            self._client.chat.cancel(self.answer.run_id)

    def until_done(self) -> Answer:
        for _ in self:
            pass
        return self.answer

    def __iter__(self) -> Iterator[Frame]:
        attempt = 0
        while self.answer.finish_reason is None:
            try:
                for frame in self._connection():
                    attempt = 0
                    yield frame
                if self.answer.finish_reason is not None:
                    return
                if self._polls:
                    time.sleep(POLL_PAUSE_S)
                    continue
                error: Exception = StreamBrokenError("the stream ended before the answer")
            except httpx.TransportError as lost:
                if isinstance(lost, httpx.ReadTimeout) and not (self._begun or self._polls):
                    self._polls = True
                    continue
                error = lost
            except ApiError as rejected:
                error = rejected
            attempt = self._before_resume(error, attempt)

    def _before_resume(self, error: Exception, attempt: int) -> int:
        lost = isinstance(error, (httpx.TransportError, StreamBrokenError))
        request = self._request()
        passing = httpx.ReadError(str(error)) if lost else error
        wait = requests.wait_before_retry(passing, request, attempt)
        if wait is None or attempt >= MAX_RESUMES:
            if isinstance(error, ApiError):
                raise error
            raise StreamBrokenError(f"the connection was lost: {error!r}") from error
        time.sleep(wait)
        return attempt + 1

    def _request(self) -> Request:
        run_id = self.answer.run_id
        if self._body is not None and run_id is None:
            # With the same key, a message that has arrived is not asked again.
            return requests.create("/v1/chat/stream", self._body, idempotency_key=self._key)
        headers = {"last-event-id": self._position} if self._position else {}
        return Request("GET", f"/v1/chat/runs/{run_id}/stream", headers=headers)

    def _connection(self) -> Iterator[Frame]:
        """The frames of one connection."""
        request = self._request()
        http = self._client._http
        silence = POLL_WAIT_S + STREAM_SILENCE_S if self._polls else STREAM_SILENCE_S
        timeout = httpx.Timeout(self._client._timeout, read=silence)
        self._begun = False
        built = http.build_request(
            request.method,
            self._client._url + request.path,
            params={"wait": POLL_WAIT_S} if self._polls else None,
            json=request.json,
            headers={**self._client._headers, **request.headers},
            timeout=timeout,
        )
        self._response = response = http.send(built, stream=True)
        try:
            if not response.is_success:
                response.read()
                raise requests.to_error(response)
            if response.status_code == 204 and self._polls:
                return
            if response.status_code == 204:
                raise StreamBrokenError("the run has ended, and there are no more frames")
            decoder = FrameDecoder()
            for chunk in response.iter_bytes():
                self._begun = True
                for frame in decoder.feed(chunk):
                    self._client._polls = self._polls
                    self._position = decoder.last_id
                    self.answer.add(frame, decoder.last_id)
                    yield frame
        finally:
            self.close()


class Conversations(_Resource):
    def list(
        self, *, agent_id: Optional[str] = None, limit: Optional[int] = None
    ) -> Pages[Conversation]:
        return Pages(self._client, "/v1/conversations", {"agentId": agent_id, "limit": limit})

    def get(self, conversation_id: str, **filters: Any) -> Transcript:
        """A conversation with its runs; ``cursor`` of its ``nextCursor`` for the next ones."""
        request = requests.get(f"/v1/conversations/{conversation_id}", **filters)
        return cast(Transcript, self._client._json(request))

    def delete(self, conversation_id: str, **filters: Any) -> None:
        self._client._send(requests.delete(f"/v1/conversations/{conversation_id}", **filters))


class KnowledgeBases(_Resource):
    def create(
        self, body: KnowledgeBaseBody, *, idempotency_key: Optional[str] = None
    ) -> KnowledgeBase:
        request = requests.create("/v1/knowledge-bases", body, idempotency_key=idempotency_key)
        return cast(KnowledgeBase, self._client._json(request))

    def get(self, base_id: str) -> KnowledgeBase:
        request = requests.get(f"/v1/knowledge-bases/{base_id}")
        return cast(KnowledgeBase, self._client._json(request))

    def list(self, *, limit: Optional[int] = None) -> Pages[KnowledgeBase]:
        return Pages(self._client, "/v1/knowledge-bases", {"limit": limit})

    def update(self, base_id: str, patch: KnowledgeBasePatch) -> KnowledgeBase:
        request = requests.patch(f"/v1/knowledge-bases/{base_id}", patch)
        return cast(KnowledgeBase, self._client._json(request))

    def delete(self, base_id: str) -> None:
        self._client._send(requests.delete(f"/v1/knowledge-bases/{base_id}"))

    def search(self, base_id: str, query: str, *, limit: Optional[int] = None) -> Sequence[Passage]:
        body: dict[str, Any] = {"query": query} if limit is None else {"query": query, "limit": limit}
        found = self._client._json(requests.post(f"/v1/knowledge-bases/{base_id}/search", body))
        return cast("list[Passage]", found["passages"])

    def add_document(
        self,
        base_id: str,
        content: Union[str, bytes],
        *,
        title: str,
        media_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Document:
        """Adds a text, or the bytes of a PDF, HTML, Markdown or text file. It is processed later."""
        path = f"/v1/knowledge-bases/{base_id}/documents"
        if isinstance(content, bytes):
            files = {"file": (title, content, media_type or "application/octet-stream")}
            request = requests.create(path, files=files, idempotency_key=idempotency_key)
        else:
            body: dict[str, Any] = {"title": title, "content": content}
            if media_type is not None:
                body["mediaType"] = media_type
            request = requests.create(path, body, idempotency_key=idempotency_key)
        return cast(Document, self._client._json(request))

    def documents(self, base_id: str, *, limit: Optional[int] = None) -> Pages[Document]:
        return Pages(self._client, f"/v1/knowledge-bases/{base_id}/documents", {"limit": limit})

    def get_document(self, base_id: str, document_id: str) -> Document:
        request = requests.get(f"/v1/knowledge-bases/{base_id}/documents/{document_id}")
        return cast(Document, self._client._json(request))

    def delete_document(self, base_id: str, document_id: str) -> None:
        self._client._send(
            requests.delete(f"/v1/knowledge-bases/{base_id}/documents/{document_id}")
        )


class Usage(_Resource):
    def read(self, *, since: Optional[str] = None, until: Optional[str] = None) -> UsageReport:
        """Usage and limits; ``since`` and ``until`` are days such as ``2026-11-23`` (UTC)."""
        request = requests.get("/v1/usage", **{"from": since, "to": until})
        return cast(UsageReport, self._client._json(request))
