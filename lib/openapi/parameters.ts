import { MAX_WAIT_SECONDS, STREAM_PROTOCOLS } from "../schemas/chat_protocol.ts";
import { RESULT_FORMATS } from "../schemas/test_run.ts";
import { GAP_REASONS } from "../schemas/gap_reasons.ts";
import { RESOURCE_KEY, RESOURCE_KINDS } from "../schemas/configuration.ts";
import { UNANSWERED_STATES } from "../schemas/unanswered.ts";
import type { ParameterObject } from "./openapi_types.ts";

type Schema = ParameterObject["schema"];
const uuid: Schema = { type: "string", format: "uuid" };
const date: Schema = { type: "string", format: "date" };

export const PARAMETERS = {
  agentId: pathParameter("id", "The agent's id.", uuid),
  visitorId: pathParameter("id", "The `visitor.id` of a mint, percent-encoded.", {
    type: "string",
    minLength: 1,
    maxLength: 128,
  }),
  knowledgeBaseId: pathParameter("id", "The knowledge base's id.", uuid),
  documentId: pathParameter("documentId", "The document's id.", uuid),
  sourceId: pathParameter("sourceId", "The website source's id.", uuid),
  pages: queryParameter("pages", "Whether the documents of its pages stay.", {
    type: "string",
    enum: ["delete", "keep"],
    default: "delete",
  }),
  rehearsalId: pathParameter("rehearsalId", "The rehearsal's id.", uuid),
  testSetId: pathParameter("id", "The test set's id.", uuid),
  testCaseId: pathParameter("caseId", "The case's id.", uuid),
  testRunId: pathParameter("testRunId", "The id of the run of the test set.", uuid),
  beforeTestRun: queryParameter(
    "before",
    "The run to compare with; by default the one of the same agent before it.",
    uuid,
  ),
  resultFormat: queryParameter("format", "JSON lines, or CSV with a header.", {
    type: "string",
    enum: [...RESULT_FORMATS],
    default: "jsonl",
  }),
  attachmentId: pathParameter("id", "The attachment's id.", uuid),
  uploadAgentId: queryParameter(
    "agentId",
    "The agent that the file is for. Required with an API key; a session has its agent.",
    uuid,
  ),
  runId: pathParameter("runId", "The `runId` of the `start` frame, also `x-run-id`.", uuid),
  callNumber: pathParameter(
    "n",
    "The number of the call's `tool_call` frame: the id's last part.",
    {
      type: "integer",
      minimum: 1,
    },
  ),
  approvals: queryParameter(
    "approvals",
    "`1` with the protocol `ai-sdk-ui`: approvals of visitors are parts of type `tool-approval-request`, " +
      "which the AI SDK knows since version 6.",
    { type: "string", enum: ["1"] },
  ),
  after: queryParameter(
    "after",
    "The last frame received: its `id` or its number. `Last-Event-ID` takes precedence, so that a " +
      "client can reconnect to the same URL.",
    { type: "string", maxLength: 64 },
  ),
  lastEventId: headerParameter("Last-Event-ID", "As `after`; sent by browsers' `EventSource`."),
  protocol: queryParameter(
    "protocol",
    "The format of the stream: `native` (the frames), `ai-sdk-ui` (the UI message stream of the AI SDK) " +
      "or `ag-ui`. The same as the parameter of `Accept: text/event-stream; protocol=ai-sdk-ui`.",
    { type: "string", enum: [...STREAM_PROTOCOLS], default: "native" },
  ),
  textsLanguage: queryParameter(
    "lang",
    "One language, a primary tag such as `de`. Without it, all languages.",
    { type: "string", maxLength: 64 },
  ),
  wait: queryParameter(
    "wait",
    "Poll instead of streaming: the response is complete, has a `Content-Length`, and is sent as soon " +
      "as there is a frame after the position, and a 204 after this many seconds without one (a message and a " +
      "hand-off's feed get a comment instead). Poll again after the last frame until `done`. Only with the protocol `native`.",
    { type: "integer", minimum: 1, maximum: MAX_WAIT_SECONDS },
  ),
  ofAgent: queryParameter("agentId", "Only of this agent.", uuid),
  gapReason: queryParameter("reason", "Only questions with this reason.", {
    type: "string",
    enum: [...GAP_REASONS],
  }),
  unansweredState: queryParameter(
    "state",
    "Only groups in this state; by default `open` and `written` ones.",
    { type: "string", enum: [...UNANSWERED_STATES, "all"] },
  ),
  fromAnyDay: queryParameter("from", "First day, UTC.", date),
  toAnyDay: queryParameter("to", "Last day, UTC.", date),
  version: pathParameter("n", "The version.", { type: "integer", minimum: 1 }),
  agent: pathParameter("agent", "The agent's id.", uuid),
  hash: pathParameter("hash", "The first 12 hexadecimal digits of the script's hash.", {
    type: "string",
    pattern: "^[0-9a-f]{12}$",
  }),
  fromDay: queryParameter("from", "First day, UTC; by default 29 days before `to`.", date),
  toDay: queryParameter("to", "Last day, UTC; today by default.", date),
  limit: queryParameter("limit", "Maximum items per page.", {
    type: "integer",
    minimum: 1,
    maximum: 100,
    default: 20,
  }),
  cursor: queryParameter("cursor", "`nextCursor` of the previous page; opaque.", {
    type: "string",
    minLength: 1,
    maxLength: 512,
  }),
  ifMatch: headerParameter(
    "If-Match",
    "Proceed only if one of these is the agent's current `ETag`; else 412.",
  ),
  ifMatchPublication: headerParameter(
    "If-Match",
    "Proceed only if one of these is the publication's current `ETag`; else 412.",
  ),
  ifMatchTestSet: headerParameter(
    "If-Match",
    "Proceed only if one of these is the test set's current `ETag`; else 412.",
  ),
  ifMatchBase: headerParameter(
    "If-Match",
    "Proceed only if one of these is the knowledge base's current `version`, quoted; else 412.",
  ),
  ifMatchDocument: headerParameter(
    "If-Match",
    "Proceed only if one of these is the `sha256` of the document, quoted; else 412.",
  ),
  ifMatchCase: headerParameter(
    "If-Match",
    "Proceed only if one of these is the case's current `ETag`; else 412.",
  ),
  ifMatchResource: headerParameter(
    "If-Match",
    "Proceed only if one of these is the resource's current `version`, quoted; else 412.",
  ),
  ifNoneMatchResource: headerParameter(
    "If-None-Match",
    "`*` to create only: 412 if the key is in use.",
  ),
  configurationLock: headerParameter(
    "Configuration-Lock",
    "The id of the lock that the caller holds. A 409 if it was released, or taken by others.",
  ),
  resourceKind: pathParameter("kind", "The kind of the resource.", {
    type: "string",
    enum: [...RESOURCE_KINDS],
  }),
  resourceKey: pathParameter("key", "The resource's key.", {
    type: "string",
    pattern: RESOURCE_KEY.source,
  }),
  adopt: queryParameter(
    "adopt",
    "The id of a stored resource without a key, which then gets this one.",
    uuid,
  ),
  ifNoneMatch: headerParameter("If-None-Match", "Return 304 if one of these is the `ETag`."),
  ifNoneMatchChange: headerParameter(
    "If-None-Match",
    "Proceed only if none of these is the agent's current `ETag`; else 412.",
  ),
  origin: {
    ...headerParameter(
      "Origin",
      "The header that the visitor's browser sent, unchanged. Without it the mint is 403, unless it is " +
        "for a native app: with `bind`, for an agent with `nativeApps`.",
    ),
    example: "https://shop.example",
  },
  ownOrigin: headerParameter("Origin", "Absent, or the service's own."),
  idempotencyKey: {
    ...headerParameter(
      "Idempotency-Key",
      "A unique value for this call, for example a UUID. Repeating the call with the same body " +
        "within 24 hours returns the first response and creates nothing.",
    ),
    // Visible ASCII.
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  },
  dpop: headerParameter(
    "DPoP",
    "For a session that is bound to a key, or is to be: a proof (RFC 9449) signed by that key, a JWT with " +
      "`alg` `ES256`, the claims `htm`, `htu`, `iat`, `jti` and `ath`, and in `nonce` the last " +
      "`DPoP-Nonce`. One proof sends one message.",
  ),
  pageOrigin: headerParameter(
    "Origin",
    "Sent by browsers; with a session it must be the session's origin.",
  ),
} satisfies Record<string, ParameterObject>;
export type ParameterName = keyof typeof PARAMETERS;

/** An optional query parameter. */
export function queryParameter(name: string, description: string, schema: Schema): ParameterObject {
  return { name, in: "query", required: false, description, schema };
}

function pathParameter(name: string, description: string, schema: Schema): ParameterObject {
  return { name, in: "path", required: true, description, schema };
}

function headerParameter(name: string, description: string): ParameterObject {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}
