import { EXAMPLES } from "../examples.ts";
import { operations, type ResponseContent } from "../operation.ts";

const frames: ResponseContent = { type: "text/event-stream", schema: "Frame" };

export const CHAT_OPERATIONS = operations({
  tag: "Chat",
  auth: "key or session",
  rateLimited: true,
  browser: true,
}, {
  "POST /v1/chat/stream": {
    id: "streamChat",
    summary: "Send a message and stream the answer",
    description:
      "A browser sends its session token in `X-Service-Session` and as `sessionToken`; " +
      "a backend sends an API key and needs neither. A key may chat unless all its scopes end in " +
      "`:read`.\n\n" +
      "The response is always an event stream. Each frame is one event: `id: <runId>.<n>`, " +
      "`event: <type>`, `data: <one line of JSON>`, a blank line. The stream starts with " +
      "`retry: 1500`; a comment `: ping` is sent after every 10 seconds without frames.\n\n" +
      "Order: `start`, then any of `delta` and `tool_call` with its `tool_result`, then `usage`, " +
      "at most one `error`, and finally exactly one `done`. Ignore unknown frame types and fields. " +
      "An error before `start` is an ordinary error envelope.\n\n" +
      "`protocol` selects another format of the stream, for clients such as the AI SDK.\n\n" +
      "Pages of any site may call it and read every response, errors included: access is limited " +
      "by the session's origin, not by CORS.",
    idempotent: true,
    parameters: ["protocol", "pageOrigin"],
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
      content: frames,
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
  "GET /v1/chat/runs/{runId}/stream": {
    id: "resumeRun",
    summary: "Resume the stream of a run",
    description: "Replays the frames after a position and continues with new ones, whichever " +
      "process runs it, until 10 minutes after `done`. However often the connection is lost, the " +
      "client gets the same text. A lost connection does not stop a run; a run without clients " +
      "for 30 seconds is cancelled.\n\n" +
      "Allowed for any key of the tenant that may chat, the session that started the run (even if " +
      "expired), and any live session of the same agent and page.\n\n" +
      "One address may resume 300 streams per minute; they do not count as requests unless they " +
      "are rejected.",
    parameters: ["runId", "after", "lastEventId", "protocol", "pageOrigin"],
    responses: [
      {
        status: 200,
        description: "The frames after the position.",
        headers: ["x-run-id", "Cache-Control"],
        content: frames,
      },
      {
        status: 204,
        description: "The run has ended, and there are no frames after the position.",
      },
    ],
    errors: ["schema_validation_failed", "origin_not_allowed", "not_found", "stream_expired"],
  },
  "POST /v1/chat/runs/{runId}/cancel": {
    id: "cancelRun",
    summary: "Cancel a run",
    description:
      "Aborts the model's work immediately, in any process; the cost so far is charged, " +
      "and the run ends with `usage` and `done` with reason `cancelled`. Repeated calls and ended " +
      "runs change nothing. Allowed for everyone who may follow the run.",
    parameters: ["runId", "pageOrigin"],
    responses: [{ status: 202, description: "The run is being cancelled or has ended." }],
    errors: ["origin_not_allowed", "not_found", "payload_too_large"],
  },
});
