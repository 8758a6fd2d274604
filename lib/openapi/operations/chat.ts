import { EXAMPLES } from "../examples.ts";
import type { Operation } from "../operation.ts";

export const CHAT_OPERATIONS: Operation[] = [
  {
    id: "streamChat",
    method: "POST",
    path: "/v1/chat/stream",
    tag: "Chat",
    summary: "Send a message and stream the answer",
    description: "A browser brings its session token in `X-Service-Session` and again as " +
      "`sessionToken`; a backend brings an API key, and then neither is needed. Any key may chat whose " +
      "scopes do not all end in `:read`.\n\n" +
      "The answer is always an event stream. Each frame is one event: `id: <runId>.<n>`, " +
      "`event: <type>`, `data: <one line of JSON>`, a blank line. The stream opens with " +
      "`retry: 1500`; a comment `: ping` follows every 10 seconds of silence.\n\n" +
      "Order: `start`, then any of `delta` and `tool_call` with its `tool_result`, then `usage`, " +
      "at most one `error`, and exactly one `done`, last. Ignore frame types and fields that you " +
      "do not know. What fails before `start` is an ordinary error envelope.\n\n" +
      "Pages of any site may call it and read every answer, refusals included: the lock is the " +
      "session's origin, not CORS.",
    auth: "key or session",
    idempotent: true,
    rateLimited: true,
    browser: true,
    parameters: ["pageOrigin"],
    body: {
      schema: "ChatBody",
      example: {
        agentId: EXAMPLES.agent.id,
        sessionToken: EXAMPLES.sessionToken,
        messages: [{ role: "user", content: "Where is my order A-1042?" }],
        requestId: "checkout-42",
      },
    },
    responses: [{
      status: 200,
      description: "The frames of the run.",
      headers: ["x-run-id", "x-plan-warning", "Cache-Control"],
      content: { type: "text/event-stream", schema: "Frame" },
    }],
    errors: [
      "origin_not_allowed",
      "not_found",
      "stream_expired",
      "plan_limit_exceeded",
      "provider_error",
      "provider_rate_limited",
      "provider_timeout",
    ],
  },
  {
    id: "resumeRun",
    method: "GET",
    path: "/v1/chat/runs/{runId}/stream",
    tag: "Chat",
    summary: "Follow a run again",
    description: "Replays the frames after a position and goes on with those to come, whichever " +
      "process runs it, until 10 minutes after `done`. The text that a client puts together is the " +
      "same however often its connection was cut. A dropped connection does not stop a run; one " +
      "that nobody follows for 30 seconds is cancelled.\n\n" +
      "Allowed for any key of the tenant that may chat, the session that began the run (expired or not), and any " +
      "live session of the same agent and page. 204 says that there is nothing after the position." +
      "\n\nOne address may resume 300 streams a minute; they do not count as requests unless they " +
      "are refused.",
    auth: "key or session",
    rateLimited: true,
    browser: true,
    parameters: ["runId", "after", "lastEventId", "pageOrigin"],
    responses: [
      {
        status: 200,
        description: "The frames after the position.",
        headers: ["x-run-id", "Cache-Control"],
        content: { type: "text/event-stream", schema: "Frame" },
      },
      { status: 204, description: "The run has ended and nothing comes after the position." },
    ],
    errors: ["schema_validation_failed", "origin_not_allowed", "not_found", "stream_expired"],
  },
  {
    id: "cancelRun",
    method: "POST",
    path: "/v1/chat/runs/{runId}/cancel",
    tag: "Chat",
    summary: "Stop a run",
    description: "Aborts the model's work at once, wherever it runs; what it has cost by then is " +
      "settled, and the run ends with `usage` and `done` of reason `cancelled`. Repeating it, or " +
      "cancelling what has ended, changes nothing. Allowed for whoever may follow the run.",
    auth: "key or session",
    rateLimited: true,
    browser: true,
    parameters: ["runId", "pageOrigin"],
    responses: [{ status: 202, description: "It is being stopped, or has ended." }],
    errors: ["origin_not_allowed", "not_found", "payload_too_large"],
  },
];
