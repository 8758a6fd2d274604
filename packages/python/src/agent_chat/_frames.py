"""Decoding of the frames of an answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Iterator, Optional, cast

from .types import Frame


class FrameDecoder:
    """Decodes server-sent events incrementally; lines may be split anywhere.

    An event that is cut off at the end is never returned. ``last_id`` is the id of the last frame.
    """

    def __init__(self) -> None:
        self.last_id = ""
        self._rest = b""
        self._data: list[str] = []
        self._id = ""

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            frame = self._line(line.rstrip(b"\r").decode())
            if frame is not None:
                yield frame

    def _line(self, line: str) -> Optional[Frame]:
        if line == "":
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        return None

    def _dispatch(self) -> Optional[Frame]:
        data, self._data = self._data, []
        if not data:
            return None
        self.last_id = self._id
        return cast(Frame, json.loads("\n".join(data)))


@dataclass
class ToolCall:
    """A tool that the agent has called."""

    name: str
    args: Any
    #: The number of its frame, for ``chat.decide`` and ``chat.send_output``.
    n: int = 0
    #: ``"visitor"``, ``"person"`` or ``"page"`` while the call waits for one of them, else ``None``.
    waits_for: Optional[str] = None
    #: Until when it waits.
    expires_at: Optional[str] = None
    #: ``None`` until the tool has answered.
    output: Any = None
    answered: bool = False


@dataclass
class Answer:
    """What an answer's frames have said so far."""

    run_id: Optional[str] = None
    conversation_id: Optional[str] = None
    provider: Optional[str] = None
    model: Optional[str] = None
    text: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    #: The code and message of a failed answer.
    error: Optional[tuple[str, str]] = None
    #: ``None`` while the answer is running.
    finish_reason: Optional[str] = None

    def add(self, frame: Frame, frame_id: str = "") -> None:
        if frame["type"] == "start":
            self.run_id = frame["runId"]
            self.conversation_id = frame["conversationId"]
            self.provider = frame["provider"]
            self.model = frame["model"]
        elif frame["type"] == "delta":
            self.text += frame["text"]
        elif frame["type"] == "tool_call":
            self.tool_calls.append(
                ToolCall(
                    frame["name"],
                    frame["args"],
                    n=int(frame_id.rpartition(".")[2] or 0),
                    waits_for=frame.get("waitsFor"),
                    expires_at=frame.get("expiresAt"),
                )
            )
        elif frame["type"] == "tool_result":
            self._answer_tool(frame["name"], frame["output"], frame.get("call"))
        elif frame["type"] == "usage":
            self.input_tokens = frame["inputTokens"]
            self.output_tokens = frame["outputTokens"]
            self.cost_usd = frame["costUsd"]
        elif frame["type"] == "error":
            self.error = (frame["code"], frame["message"])
        elif frame["type"] == "done":
            self.finish_reason = frame["finishReason"]

    def _answer_tool(self, name: str, output: Any, n: Optional[int]) -> None:
        for call in self.tool_calls:
            # A result that names no call belongs to the first one without a result.
            is_first = n is None and call.name == name and not call.answered
            if is_first or call.n == n:
                call.output, call.answered, call.waits_for = output, True, None
                return
