import { EXAMPLES } from "../examples.ts";
import type { ParameterObject } from "../openapi_types.ts";
import { json, noContent, ok, operations } from "../operation.ts";
import { PARAMETERS, queryParameter } from "../parameters.ts";

const id: ParameterObject = {
  ...PARAMETERS.agentId,
  description: "The conversation's id: the `conversationId` of the `start` frame.",
};
/** Only for API keys: a session has one agent, one page and at most one visitor. */
const selectors: ParameterObject[] = [
  queryParameter("agentId", "With an API key: the conversation's agent.", {
    ...{ type: "string", format: "uuid" },
  }),
  queryParameter(
    "origin",
    "With an API key: the conversation's page; empty for calls with a key.",
    {
      type: "string",
    },
  ),
  queryParameter(
    "visitorId",
    "With an API key: the conversation's visitor; empty for one without.",
    { type: "string" },
  ),
];
const parameters = [id, ...selectors, "pageOrigin" as const];
const errors = ["schema_validation_failed", "origin_not_allowed", "not_found"] as const;

const status = {
  conversationId: EXAMPLES.conversationId,
  offered: false,
  state: "waiting",
  requestedAt: "2026-11-24T09:00:00.000Z",
  answerBy: "2026-11-24T09:05:00.000Z",
  message: "A colleague will answer soon.",
  form: false,
};

export const HANDOFF_OPERATIONS = operations({
  tag: "Hand-off",
  auth: "key or session",
  rateLimited: true,
  browser: true,
}, {
  "GET /v1/chat/conversations/{id}/handoff": {
    id: "getHandoff",
    summary: "Read the hand-off of a conversation",
    description:
      "Whether the visitor may ask for a person, and who has the conversation. Allowed " +
      "for any key of the tenant that may chat, and for live sessions of the same agent, page and " +
      "visitor.",
    parameters,
    responses: [ok("The hand-off.", json("HandoffStatus", status))],
    errors: [...errors],
  },
  "POST /v1/chat/conversations/{id}/handoff": {
    id: "requestHandoff",
    summary: "Ask for a person",
    description:
      "The conversation waits for a person, at most `handoff.answerWithinMinutes` of its " +
      "agent. While it waits or a person has it, messages to `POST /v1/chat/stream` go to that " +
      "person and not to a model. Outside business hours the state is `returned` with the cause " +
      "`outside_hours`. Repeating the call changes nothing.\n\n" +
      "409 unless the agent offers it to visitors and the plan stores conversations.",
    parameters,
    responses: [ok("The hand-off.", json("HandoffStatus", status))],
    errors: [...errors, "handoff_conflict", "payload_too_large"],
  },
  "GET /v1/chat/conversations/{id}/stream": {
    id: "followHandoff",
    summary: "Follow the hand-off of a conversation",
    description:
      "Streams what people do and write, whichever process they use: `state`, `message` and " +
      "`typing`. Each event has the fields `event`, `data` and, except for `typing`, `id: " +
      "<conversationId>.<n>`; numbers can have gaps. `Last-Event-ID` or `after` continues after an " +
      "event. A comment `: ping` is sent after 10 seconds without events.\n\n" +
      "The stream ends after the state `returned` or `closed`, and when the session expires: mint a " +
      "new token and continue. 204 if nobody has asked for a person, or if there is nothing left.\n\n" +
      "With `wait` the response is a complete one, for networks whose proxies buffer streams: the " +
      "events after the position as soon as there is one, or a comment after that many seconds. 204 " +
      "if there is nothing left to follow.\n\n" +
      "Feeds and their polls count as resumed streams: 300 per minute and address. One address may " +
      "have 100 open.",
    parameters: [...parameters, "after", "lastEventId", "wait"],
    responses: [
      {
        status: 200,
        description: "The events after the position.",
        headers: ["Cache-Control"],
        content: { type: "text/event-stream", schema: "FeedFrame" },
      },
      { status: 204, description: "There is nothing to follow." },
    ],
    errors: [...errors],
  },
  "POST /v1/chat/conversations/{id}/typing": {
    id: "sendTyping",
    summary: "Show the person that the visitor types",
    description:
      "Send it at most every 3 seconds while the visitor types; the person sees it for 8 " +
      "seconds. It is not stored. Without a person it does nothing.",
    parameters,
    responses: [noContent("Done.")],
    errors: [...errors, "payload_too_large"],
  },
  "POST /v1/chat/conversations/{id}/contact": {
    id: "leaveContact",
    summary: "Leave an e-mail address and a message",
    description:
      "For people to answer later; they are shown in the dashboard, encrypted at rest and " +
      "deleted with the conversation. The service sends no e-mail. 409 unless `form` of the hand-off " +
      "is true. Sending the same again changes nothing.",
    parameters,
    body: {
      schema: "ContactBody",
      example: { email: "jo@example.com", message: "Please tell me when it is in stock." },
    },
    responses: [noContent("Stored.")],
    errors: [...errors, "handoff_conflict"],
  },
});
