"""The tests run against a real service, whose address and key are in the environment."""

from __future__ import annotations

import os
from typing import AsyncIterator, Iterator

import pytest

from agent_chat import AgentChat, AsyncAgentChat

NEEDED = ("AGENT_CHAT_URL", "AGENT_CHAT_API_KEY")
if any(name not in os.environ for name in NEEDED):
    pytest.exit(f"set {' and '.join(NEEDED)} to test against a service", returncode=2)

#: The smallest agent on the service's demo model.
BODY = {
    "name": "Helper",
    "systemPrompt": "Be helpful.",
    "modelPolicy": {"provider": "vendor_a", "model": "demo"},
    "budget": {"maxCostUsd": 1, "maxSteps": 4, "wallClockMs": 30_000},
    "tools": [],
    "allowedDomains": [],
    "allowedOrigins": ["https://shop.example"],
}


@pytest.fixture
def client() -> Iterator[AgentChat]:
    with AgentChat() as opened:
        yield opened


@pytest.fixture
def agent_id(client: AgentChat) -> str:
    return client.agents.create(BODY)["id"]  # type: ignore[arg-type]
