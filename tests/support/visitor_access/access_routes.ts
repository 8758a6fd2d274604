import { say } from "../widget_calls.ts";
import type { Credential, RouteKind } from "./access_rules.ts";

/** What the id of a route names. */
export type ResourceKind =
  | "conversation"
  | "run"
  /** `<runId>/calls/<n>`: a tool call that waits. */
  | "decision"
  | "output"
  | "attachment"
  | "fact"
  | "visitor"
  | "erasure"
  | "unanswered"
  | "session";

/** A route that leads to something of one visitor. */
export interface AccessRoute {
  file: string;
  method: string;
  kind: RouteKind;
  of: ResourceKind;
  /** The request for an id, with the agent of the one who asks. */
  call(id: string, by: { agentId: string; credential: Credential }): AccessCall;
  /** It serves no content, and a second time it may find nothing. */
  deletes?: true;
}

export interface AccessCall {
  path: string;
  json?: unknown;
}

const CHAT = "v1/chat/conversations/[id]";
const RUN = "v1/chat/runs/[runId]";

/** Every such route. One that is in neither list of this file fails the test. */
export const ACCESS_ROUTES: readonly AccessRoute[] = [
  ...ownConversation("GET"),
  ...ownConversation("PATCH", { title: "Renamed" }),
  ...ownConversation("DELETE"),
  ...["PATCH", "DELETE"].map((method): AccessRoute => ({
    ...{ file: "v1/chat/memory/[id].ts", method, kind: "memory", of: "fact" },
    call: (id) => ({
      path: `/v1/chat/memory/${id}`,
      ...method === "PATCH" && { json: { text: "Likes roses." } },
    }),
    ...method === "DELETE" && { deletes: true },
  })),
  ...handOff("GET", "handoff"),
  ...handOff("GET", "stream"),
  ...handOff("POST", "typing"),
  ...handOff("POST", "contact", { email: "a@shop.example", message: "Call me." }),
  ...handOff("POST", "handoff"),
  ...run("GET", "stream"),
  // The same frames as a complete response.
  { ...run("GET", "stream")[0]!, call: (id) => ({ path: `/v1/chat/runs/${id}/stream?wait=1` }) },
  ...run("GET", "feedback"),
  ...run("GET", "seal"),
  ...run("PUT", "feedback", { rating: "up" }),
  ...run("DELETE", "feedback"),
  ...run("POST", "cancel"),
  ...waitingCall("decision", { approve: false }),
  ...waitingCall("output", { output: { items: 1 } }),
  {
    ...{ file: "v1/openai/responses.ts", method: "POST", kind: "continuation", of: "run" },
    call: (id, { agentId }) => ({
      path: "/v1/openai/responses",
      json: { model: agentId, input: "Go on", previous_response_id: `resp_${id}` },
    }),
  },
  {
    ...{ file: "v1/chat/attachments/[id].ts", method: "GET", kind: "file", of: "attachment" },
    call: (id) => ({ path: `/v1/chat/attachments/${id}` }),
  },
  {
    ...{ file: "v1/chat/stream.ts", method: "POST", kind: "file in a message", of: "attachment" },
    call: (id, { agentId, credential }) => ({
      path: "/v1/chat/stream",
      json: {
        ...{ agentId, messages: [{ ...say("Look"), attachments: [id] }] },
        ...credential.kind === "session" && { sessionToken: credential.token },
      },
    }),
  },
  ...tenantRoute("v1/conversations/[id]/index.ts", "conversation", "/v1/conversations/:id"),
  tenantRoute(
    "v1/conversations/[id]/export.ts",
    "conversation",
    "/v1/conversations/:id/export",
  )[0]!,
  ...tenantRoute("v1/visitors/[id]/index.ts", "visitor", "/v1/visitors/:id"),
  tenantRoute("v1/visitors/[id]/export.ts", "visitor", "/v1/visitors/:id/export")[0]!,
  tenantRoute("v1/visitor-erasures/[id].ts", "erasure", "/v1/visitor-erasures/:id")[0]!,
  tenantRoute("v1/unanswered/[runId]/index.ts", "unanswered", "/v1/unanswered/:id")[0]!,
  ...unanswered("answer", { title: "Xylophones", text: "They are in the hall." }),
  ...unanswered("ask-again"),
  ...unanswered("dismiss"),
  {
    ...{ file: "v1/visitors/[id]/usage.ts", method: "GET", kind: "usage of the tenant" },
    ...{ of: "visitor", call: (id) => ({ path: `/v1/visitors/${id}/usage` }) },
  },
  ...["GET", "PUT"].map((method): AccessRoute => ({
    ...{ file: "v1/visitors/[id]/limits.ts", method, kind: "sessions of the tenant" },
    of: "visitor",
    call: (id) => ({
      path: `/v1/visitors/${id}/limits`,
      ...method === "PUT" && { json: { per: "day" } },
    }),
  })),
  {
    ...{ file: "v1/widget/session.ts", method: "DELETE", kind: "sessions of the tenant" },
    of: "session",
    call: (sessionToken) => ({ path: "/v1/widget/session", json: { sessionToken } }),
  },
];

/** Routes that list what is of the caller; the test looks into their answers. */
export const COLLECTIONS: readonly string[] = [
  "GET v1/chat/conversations/index.ts",
  "GET v1/chat/limits.ts",
  ...["GET v1/chat/memory/index.ts", "DELETE v1/chat/memory/index.ts"],
  ...["GET v1/conversations/index.ts", "GET v1/unanswered/index.ts"],
];

/** Routes under /v1 that lead to nothing of one visitor. */
export const UNRELATED: readonly string[] = [
  // The tenant's own resources, and sums.
  ...["GET v1/agents/index.ts", "POST v1/agents/index.ts"],
  ...["GET", "PATCH", "DELETE"].map((method) => `${method} v1/agents/[id]/index.ts`),
  ...["GET v1/agents/[id]/versions/index.ts", "GET v1/agents/[id]/versions/[n].ts"],
  ...["GET v1/agents/[id]/feedback.ts", "POST v1/agents/[id]/playground-session.ts"],
  // Of conversations that the tenant may read, and without their visitors' names.
  ...["GET", "POST"].map((method) => `${method} v1/agents/[id]/rehearsals/index.ts`),
  ...["GET", "DELETE"].map((method) =>
    `${method} v1/agents/[id]/rehearsals/[rehearsalId]/index.ts`
  ),
  "POST v1/agents/[id]/rehearsals/[rehearsalId]/stop.ts",
  // What people of the tenant wrote or copied, and what agents answered them.
  ...["GET", "POST"].map((method) => `${method} v1/test-sets/index.ts`),
  ...["GET", "PATCH", "DELETE"].map((method) => `${method} v1/test-sets/[id]/index.ts`),
  ...["GET", "POST"].map((method) => `${method} v1/test-sets/[id]/cases/index.ts`),
  "GET v1/test-sets/[id]/cases/export.ts",
  "POST v1/test-sets/[id]/cases/from-run.ts",
  ...["GET", "PUT", "DELETE"].map((method) => `${method} v1/test-sets/[id]/cases/[caseId].ts`),
  ...["GET", "POST"].map((method) => `${method} v1/test-sets/[id]/runs/index.ts`),
  ...["GET", "DELETE"].map((method) => `${method} v1/test-sets/[id]/runs/[testRunId]/index.ts`),
  ...["stop", "resume"].map((name) => `POST v1/test-sets/[id]/runs/[testRunId]/${name}.ts`),
  ...["results/index", "results/export", "comparison"].map((name) =>
    `GET v1/test-sets/[id]/runs/[testRunId]/${name}.ts`
  ),
  ...["GET", "PUT"].map((method) => `${method} v1/agents/[id]/publication/index.ts`),
  ...["canary", "gate"].flatMap((part) =>
    ["PUT", "DELETE"].map((method) => `${method} v1/agents/[id]/publication/${part}.ts`)
  ),
  ...["GET v1/knowledge-bases/index.ts", "POST v1/knowledge-bases/index.ts"],
  ...["GET", "PATCH", "DELETE"].map((method) => `${method} v1/knowledge-bases/[id]/index.ts`),
  ...["GET", "POST"].map((method) => `${method} v1/knowledge-bases/[id]/documents/index.ts`),
  ...["GET", "PUT", "DELETE"].map((method) =>
    `${method} v1/knowledge-bases/[id]/documents/[documentId]/index.ts`
  ),
  "GET v1/knowledge-bases/[id]/documents/[documentId]/content.ts",
  ...["GET", "PUT", "DELETE"].map((method) => `${method} v1/configuration/lock.ts`),
  ...["POST v1/configuration/check.ts", "GET v1/configuration/keys.ts"],
  ...["PUT", "DELETE"].map((method) => `${method} v1/configuration/[kind]/[key].ts`),
  "POST v1/knowledge-bases/[id]/search.ts",
  ...["GET", "POST"].map((method) => `${method} v1/knowledge-bases/[id]/sources/index.ts`),
  ...["GET", "PATCH", "DELETE"].map((method) =>
    `${method} v1/knowledge-bases/[id]/sources/[sourceId]/index.ts`
  ),
  "POST v1/knowledge-bases/[id]/sources/[sourceId]/refresh.ts",
  ...["GET v1/openai/models/index.ts", "GET v1/openai/models/[id].ts", "GET v1/usage.ts"],
  ...["GET v1/seal-keys.ts", "GET v1/openapi.json.ts", "POST v1/widget/doctor.ts"],
  // They create something for the caller: no conversation is read for a message.
  ...["POST v1/widget/session.ts", "POST v1/chat/attachments/index.ts"],
  ...["POST v1/openai/chat/completions.ts", "POST v1/ag-ui/[agentId].ts"],
  // Only a backend's own conversations are continued (tests/mcp_server_access_test.ts).
  "POST v1/mcp.ts",
];

function ownConversation(method: string, json?: unknown): AccessRoute[] {
  return [{
    ...{ file: `${CHAT}.ts`, method, kind: "own conversation", of: "conversation" },
    call: (id) => ({ path: `/v1/chat/conversations/${id}`, ...json !== undefined && { json } }),
    ...method === "DELETE" && { deletes: true },
  }];
}

function handOff(method: string, name: string, json?: unknown): AccessRoute[] {
  return [{
    ...{ file: `${CHAT}/${name}.ts`, method, kind: "hand-off", of: "conversation" },
    call: (id) => ({
      path: `/v1/chat/conversations/${id}/${name}`,
      ...json !== undefined && { json },
    }),
  }];
}

function run(method: string, name: string, json?: unknown): AccessRoute[] {
  return [{
    ...{ file: `${RUN}/${name}.ts`, method, kind: "run", of: "run" },
    call: (id) => ({ path: `/v1/chat/runs/${id}/${name}`, ...json !== undefined && { json } }),
    ...method === "DELETE" && { deletes: true },
  }];
}

function waitingCall(of: "decision" | "output", json: unknown): AccessRoute[] {
  const call = (id: string) => ({ path: `/v1/chat/runs/${id}/${of}`, json });
  return [{ file: `${RUN}/calls/[n]/${of}.ts`, method: "POST", kind: "run", of, call }];
}

function unanswered(name: string, json?: unknown): AccessRoute[] {
  return [{
    ...{ file: `v1/unanswered/[runId]/${name}.ts`, method: "POST", kind: "written by the tenant" },
    of: "unanswered",
    call: (id) => ({ path: `/v1/unanswered/${id}/${name}`, ...json !== undefined && { json } }),
  }];
}

/** `GET` and `DELETE` with the scopes of conversations. */
function tenantRoute(file: string, of: ResourceKind, path: string): AccessRoute[] {
  const call = (id: string) => ({ path: path.replace(":id", encodeURIComponent(id)) });
  return [
    { file, method: "GET", kind: "read by the tenant", of, call },
    { file, method: "DELETE", kind: "written by the tenant", of, call, deletes: true },
  ];
}
