import { EXAMPLES } from "../examples.ts";
import { ATTACHMENT_TYPES } from "../../schemas/attachment.ts";
import { created, json, noContent, ok, operations, type ResponseContent } from "../operation.ts";

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
      "While the conversation waits for a person or has one, no model is asked: the message goes " +
      "to the person, `start` has the field `handoff`, the only `delta` is the agent's " +
      "`handoff.message`, usage is 0 and `done` has the reason `stop`. " +
      "`GET /v1/chat/conversations/{id}/stream` streams what the person writes.\n\n" +
      "`replaces` asks again for the answer of an earlier run of `conversationId`, or changes its question. " +
      "Both stay stored; the replaced run is no longer on the current path. An answer that is still being " +
      "written is cancelled first.\n\n" +
      "`protocol` selects another format of the stream, for clients such as the AI SDK. `wait` " +
      "returns the first frames as a complete response, where a proxy buffers streams; send an " +
      "`Idempotency-Key` with it.\n\n" +
      "A `tool_call` with `pending` waits: for the visitor's approval, for a person of the team, or for " +
      "the page that executes the tool (`waitsFor`), until `expiresAt`. With the protocol `ai-sdk-ui` the " +
      "stream ends at a call of the page; the body `{ agentId, sessionToken, calls: [{ id, output }] }` " +
      "then answers it, and the response is the rest of the same run.\n\n" +
      "Pages of any site may call it and read every response, errors included: access is limited " +
      "by the session's origin, not by CORS.",
    idempotent: true,
    parameters: ["wait", "protocol", "approvals", "pageOrigin"],
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
  "POST /v1/chat/attachments": {
    id: "uploadAttachment",
    summary: "Upload a file for a message",
    description:
      "The agent must allow images or documents in its `attachments`. The type is detected from the " +
      "content: PNG, JPEG, WebP and GIF images of at most 8,000 pixels a side and 40 megapixels, PDF, " +
      "plain text, Markdown and CSV; another type is a 415. An image is stored without its metadata " +
      "and further frames; one that is malformed is a 400, as is a document without text. " +
      "`attachments` of a message then takes the `id`, from the same session or API key, or from " +
      "another session of the same named visitor on the same page.\n\n" +
      "A file that no message uses is deleted after an hour; one that is used, with its conversation. " +
      "One session may upload 20 files and 50 MiB.",
    idempotent: true,
    parameters: ["uploadAgentId", "pageOrigin"],
    body: { form: "AttachmentForm" },
    responses: [created("The stored file.", json("Attachment", EXAMPLES.attachment))],
    errors: ["origin_not_allowed", "not_found", "quota_exceeded"],
  },
  "GET /v1/chat/attachments/{id}": {
    id: "getAttachment",
    summary: "Download an attachment",
    description:
      "For the API key or the session that uploaded it, also if the session has expired, and for live " +
      "sessions of the same agent, page and named visitor.",
    parameters: ["attachmentId", "pageOrigin"],
    responses: [{
      status: 200,
      description: "The file; an image as it was rewritten.",
      headers: ["Content-Disposition", "Cache-Control"],
      content: ATTACHMENT_TYPES.map((type) => ({ type })),
    }],
    errors: ["origin_not_allowed", "not_found"],
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
      "With `wait` the response is a complete one, for networks whose proxies buffer streams. A " +
      "client that polls follows the run for 10 seconds after each response.\n\n" +
      "One address may resume 300 streams per minute, polls included; they do not count as requests unless they " +
      "are rejected.",
    parameters: ["runId", "after", "lastEventId", "wait", "protocol", "pageOrigin"],
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
  "GET /v1/chat/runs/{runId}/seal": {
    id: "getSeal",
    summary: "Read the seal of a run",
    description:
      "What the service has signed when the run ended: who answered, at what price, and the head of a chain " +
      "of hashes over all frames. With the frames that a client has received, it proves what was said: " +
      "`docs/sealed-conversations.md` says how. 404 for runs of which nothing is kept, and for those of " +
      "early releases. Allowed for everyone who may follow the run, and for as long as its record is stored.",
    parameters: ["runId", "pageOrigin"],
    responses: [ok("The seal.", json("RunSeal", EXAMPLES.runSeal))],
    errors: ["origin_not_allowed", "not_found", "run_not_ended"],
  },
  "GET /v1/chat/runs/{runId}/feedback": {
    id: "getFeedback",
    summary: "Read the feedback on an answer",
    description: "404 if the answer is not rated. Allowed for everyone who may follow the run, " +
      "and for as long as its conversation is stored.",
    parameters: ["runId", "pageOrigin"],
    responses: [ok("The feedback.", json("Feedback", EXAMPLES.feedback))],
    errors: ["origin_not_allowed", "not_found"],
  },
  "PUT /v1/chat/runs/{runId}/feedback": {
    id: "setFeedback",
    summary: "Rate an answer",
    description:
      "The visitor's opinion of the answer of an ended run. It replaces earlier feedback as " +
      "a whole, and repeating it changes nothing. The dashboard shows it beside the answer; the " +
      "comment and the reasons are encrypted and expire with the conversation. Allowed for " +
      "everyone who may follow the run, also after its frames have expired.",
    parameters: ["runId", "pageOrigin"],
    body: {
      schema: "FeedbackBody",
      example: { rating: "down", comment: "The price is wrong.", reasons: ["incorrect"] },
    },
    responses: [noContent("The answer is rated.")],
    errors: ["origin_not_allowed", "not_found", "run_not_ended"],
  },
  "DELETE /v1/chat/runs/{runId}/feedback": {
    id: "deleteFeedback",
    summary: "Withdraw the feedback on an answer",
    description: "The rating no longer counts, and the comment is deleted. Repeated calls change " +
      "nothing. Allowed for everyone who may follow the run.",
    parameters: ["runId", "pageOrigin"],
    responses: [noContent("The answer is not rated.")],
    errors: ["origin_not_allowed", "not_found", "payload_too_large"],
  },
  "POST /v1/chat/runs/{runId}/calls/{n}/decision": {
    id: "decideCall",
    summary: "Approve or decline a tool call",
    description:
      "Decides about a call whose frame `tool_call` has `pending`, once. The model sees a declined call, and " +
      "silence until `expiresAt` declines it. Allowed for everyone who may follow the run; about a call that " +
      "`waitsFor` a person only with an API key, or in the dashboard.",
    parameters: ["runId", "callNumber", "pageOrigin"],
    body: { schema: "CallDecision", example: { approve: true } },
    responses: [noContent("The decision counts.")],
    errors: ["origin_not_allowed", "not_found", "already_decided"],
  },
  "POST /v1/chat/runs/{runId}/calls/{n}/output": {
    id: "sendCallOutput",
    summary: "Send the output of a page's tool",
    description:
      "For a call that `waitsFor` the page. An output that does not match the tool's `output` is a 400, " +
      "and the call still waits. `error` tells the model why there is no output. Allowed for everyone " +
      "who may follow the run.",
    parameters: ["runId", "callNumber", "pageOrigin"],
    body: { schema: "CallOutput", example: { output: { items: 2 } } },
    responses: [noContent("The model gets the output.")],
    errors: ["origin_not_allowed", "not_found", "already_decided"],
  },
});
