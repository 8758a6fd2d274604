import type { ErrorCode } from "@/lib/schemas/error_codes.ts";

/** The response of a route to a request without credential and body. */
export interface PublicRoute {
  /** Under `routes/`. */
  file: string;
  method: string;
  path: string;
  status: number;
  /** Content type without parameters; `null` for an answer without a body. */
  type: string | null;
  /** The error code, if the response is an error. */
  code?: ErrorCode;
}

const ID = "3f2c8a51-7d0e-4b9a-9c34-5e6f7a8b9c0d";
const CHAT = `/v1/chat/conversations/${ID}`;
const CONVERSATION = `/v1/conversations/${ID}`;
const BASE = `/v1/knowledge-bases/${ID}`;
const VISITOR = `/v1/visitors/${ID}`;
const AGENT = `/v1/agents/${ID}`;
const TESTS = `/v1/test-sets/${ID}`;
const TEST_RUN = `${TESTS}/runs/${ID}`;
const UNANSWERED = `/v1/unanswered/${ID}`;
const REHEARSAL = `${AGENT}/rehearsals/${ID}`;

/** Every method of every route outside the dashboard. A new route is added here, or a test fails. */
export const PUBLIC_ROUTES: readonly PublicRoute[] = [
  page("index.ts", "/", { status: 303, type: null }),
  page("demo.tsx", "/demo", { status: 200, type: "text/html" }),
  page("healthz.ts", "/healthz", { status: 200, type: "application/json" }),
  page("metrics.ts", "/metrics", { status: 404, type: "text/html" }),
  page("readyz.ts", "/readyz", { status: 200, type: "application/json" }),
  page("widget.v1.js.ts", "/widget.v1.js", { status: 200, type: "text/javascript" }),
  page("widget.v1.json.ts", "/widget.v1.json", { status: 200, type: "application/json" }),
  page("widget.v1.[hash].js.ts", "/widget.v1.0123456789ab.js", { status: 404, type: "text/html" }),
  page("widget-panel.v1.[hash].js.ts", "/widget-panel.v1.0123456789ab.js", {
    ...{ status: 404, type: "text/html" },
  }),
  page("widget-extras.v1.[hash].js.ts", "/widget-extras.v1.0123456789ab.js", {
    ...{ status: 404, type: "text/html" },
  }),
  page("widget-texts.v1.[hash].json.ts", "/widget-texts.v1.0123456789ab.json", {
    ...{ status: 404, type: "text/html" },
  }),
  ...["agent", "knowledge-base", "test-set"].map((name) =>
    page(`schemas/${name}.json.ts`, `/schemas/${name}.json`, {
      ...{ status: 200, type: "application/json" },
    })
  ),
  page("client.v1.js.ts", "/client.v1.js", { status: 200, type: "text/javascript" }),
  page("client.v1.json.ts", "/client.v1.json", { status: 200, type: "application/json" }),
  page("client.v1.d.ts.tsx", "/client.v1.d.ts", { status: 200, type: "application/typescript" }),
  page("client.v1.[hash].js.ts", "/client.v1.0123456789ab.js", { status: 404, type: "text/html" }),
  page("widget/[agent]/appearance.json.ts", `/widget/${ID}/appearance.json`, {
    ...{ status: 200, type: "application/json" },
  }),
  page("chat/[share]/index.tsx", "/chat/unknown", { status: 404, type: "text/html" }),
  {
    ...page("chat/[share]/session.ts", "/chat/unknown/session", {
      ...{ status: 403, type: "application/json" },
    }),
    ...{ method: "POST", code: "origin_not_allowed" },
  },
  page("mcp/client/[server].ts", "/mcp/client/0123456789-_abcdefABCD", {
    ...{ status: 200, type: "application/json" },
  }),
  page("docs.tsx", "/docs", { status: 200, type: "text/html" }),
  page("v1/openapi.json.ts", "/v1/openapi.json", { status: 200, type: "application/json" }),
  page("v1/seal-keys.ts", "/v1/seal-keys", { status: 200, type: "application/json" }),
  ...keyed("v1/agents/index.ts", "/v1/agents", ["GET", "POST"]),
  ...keyed("v1/agents/[id]/index.ts", AGENT, ["GET", "PATCH", "DELETE"]),
  ...keyed("v1/agents/[id]/playground-session.ts", `${AGENT}/playground-session`, ["POST"]),
  ...keyed("v1/agents/[id]/versions/index.ts", `${AGENT}/versions`, ["GET"]),
  ...keyed("v1/agents/[id]/versions/[n].ts", `${AGENT}/versions/1`, ["GET"]),
  ...keyed("v1/agents/[id]/publication/index.ts", `${AGENT}/publication`, ["GET", "PUT"]),
  ...["canary", "gate"].flatMap((part) =>
    keyed(`v1/agents/[id]/publication/${part}.ts`, `${AGENT}/publication/${part}`, [
      "PUT",
      "DELETE",
    ])
  ),
  ...keyed("v1/agents/[id]/feedback.ts", `${AGENT}/feedback`, ["GET"]),
  ...keyed("v1/unanswered/index.ts", "/v1/unanswered", ["GET"]),
  ...keyed("v1/unanswered/[runId]/index.ts", UNANSWERED, ["GET"]),
  ...keyed("v1/unanswered/[runId]/dismiss.ts", `${UNANSWERED}/dismiss`, ["POST"]),
  ...keyed("v1/unanswered/[runId]/answer.ts", `${UNANSWERED}/answer`, ["POST"]),
  ...keyed("v1/unanswered/[runId]/ask-again.ts", `${UNANSWERED}/ask-again`, ["POST"]),
  ...keyed("v1/agents/[id]/rehearsals/index.ts", `${AGENT}/rehearsals`, ["GET", "POST"]),
  ...keyed("v1/agents/[id]/rehearsals/[rehearsalId]/index.ts", REHEARSAL, ["GET", "DELETE"]),
  ...keyed("v1/agents/[id]/rehearsals/[rehearsalId]/stop.ts", `${REHEARSAL}/stop`, ["POST"]),
  ...keyed("v1/configuration/lock.ts", "/v1/configuration/lock", ["GET", "PUT", "DELETE"]),
  ...keyed("v1/configuration/check.ts", "/v1/configuration/check", ["POST"]),
  ...keyed("v1/configuration/keys.ts", "/v1/configuration/keys", ["GET"]),
  ...keyed("v1/configuration/[kind]/[key].ts", "/v1/configuration/agents/shop", ["PUT", "DELETE"]),
  ...keyed("v1/test-sets/index.ts", "/v1/test-sets", ["GET", "POST"]),
  ...keyed("v1/test-sets/[id]/index.ts", TESTS, ["GET", "PATCH", "DELETE"]),
  ...keyed("v1/test-sets/[id]/cases/index.ts", `${TESTS}/cases`, ["GET", "POST"]),
  ...keyed("v1/test-sets/[id]/cases/export.ts", `${TESTS}/cases/export`, ["GET"]),
  ...keyed("v1/test-sets/[id]/cases/from-run.ts", `${TESTS}/cases/from-run`, ["POST"]),
  ...keyed("v1/test-sets/[id]/cases/[caseId].ts", `${TESTS}/cases/${ID}`, ["GET", "PUT", "DELETE"]),
  ...keyed("v1/test-sets/[id]/runs/index.ts", `${TESTS}/runs`, ["GET", "POST"]),
  ...keyed("v1/test-sets/[id]/runs/[testRunId]/index.ts", TEST_RUN, ["GET", "DELETE"]),
  ...["stop", "resume"].flatMap((name) =>
    keyed(`v1/test-sets/[id]/runs/[testRunId]/${name}.ts`, `${TEST_RUN}/${name}`, ["POST"])
  ),
  ...keyed("v1/test-sets/[id]/runs/[testRunId]/results/index.ts", `${TEST_RUN}/results`, ["GET"]),
  ...["results/export", "comparison"].flatMap((name) =>
    keyed(`v1/test-sets/[id]/runs/[testRunId]/${name}.ts`, `${TEST_RUN}/${name}`, ["GET"])
  ),
  ...keyed("v1/chat/stream.ts", "/v1/chat/stream", ["POST"]),
  ...keyed("v1/chat/attachments/index.ts", "/v1/chat/attachments", ["POST"]),
  ...keyed("v1/chat/attachments/[id].ts", `/v1/chat/attachments/${ID}`, ["GET"]),
  ...keyed("v1/chat/runs/[runId]/stream.ts", `/v1/chat/runs/${ID}/stream`, ["GET"]),
  ...keyed("v1/chat/runs/[runId]/cancel.ts", `/v1/chat/runs/${ID}/cancel`, ["POST"]),
  ...["decision", "output"].flatMap((name) =>
    keyed(`v1/chat/runs/[runId]/calls/[n]/${name}.ts`, `/v1/chat/runs/${ID}/calls/1/${name}`, [
      "POST",
    ])
  ),
  ...keyed("v1/chat/runs/[runId]/seal.ts", `/v1/chat/runs/${ID}/seal`, ["GET"]),
  ...keyed("v1/chat/runs/[runId]/feedback.ts", `/v1/chat/runs/${ID}/feedback`, [
    "GET",
    "PUT",
    "DELETE",
  ]),
  ...ofSessions("v1/chat/conversations/index.ts", "/v1/chat/conversations", ["GET"]),
  ...ofSessions("v1/chat/conversations/[id].ts", `/v1/chat/conversations/${ID}`, [
    ...["GET", "PATCH", "DELETE"],
  ]),
  ...ofSessions("v1/chat/memory/index.ts", "/v1/chat/memory", ["GET", "DELETE"]),
  ...ofSessions("v1/chat/memory/[id].ts", `/v1/chat/memory/${ID}`, ["PATCH", "DELETE"]),
  ...keyed("v1/chat/conversations/[id]/handoff.ts", `${CHAT}/handoff`, ["GET", "POST"]),
  ...keyed("v1/chat/conversations/[id]/stream.ts", `${CHAT}/stream`, ["GET"]),
  ...keyed("v1/chat/conversations/[id]/typing.ts", `${CHAT}/typing`, ["POST"]),
  ...keyed("v1/chat/conversations/[id]/contact.ts", `${CHAT}/contact`, ["POST"]),
  ...keyed("v1/openai/chat/completions.ts", "/v1/openai/chat/completions", ["POST"]),
  ...keyed("v1/openai/responses.ts", "/v1/openai/responses", ["POST"]),
  ...keyed("v1/openai/models/index.ts", "/v1/openai/models", ["GET"]),
  ...keyed("v1/openai/models/[id].ts", `/v1/openai/models/${ID}`, ["GET"]),
  ...keyed("v1/ag-ui/[agentId].ts", `/v1/ag-ui/${ID}`, ["POST"]),
  ...keyed("v1/conversations/index.ts", "/v1/conversations", ["GET"]),
  ...keyed("v1/conversations/[id]/index.ts", CONVERSATION, ["GET", "DELETE"]),
  ...keyed("v1/conversations/[id]/export.ts", `${CONVERSATION}/export`, ["GET"]),
  ...keyed("v1/visitors/[id]/limits.ts", `${VISITOR}/limits`, ["GET", "PUT"]),
  ...keyed("v1/visitors/[id]/usage.ts", `${VISITOR}/usage`, ["GET"]),
  {
    ...{ file: "v1/chat/limits.ts", method: "GET", path: "/v1/chat/limits", status: 401 },
    ...{ type: "application/json", code: "session_token_invalid" },
  },
  ...keyed("v1/knowledge-bases/index.ts", "/v1/knowledge-bases", ["GET", "POST"]),
  ...keyed("v1/knowledge-bases/[id]/index.ts", BASE, ["GET", "PATCH", "DELETE"]),
  ...keyed("v1/knowledge-bases/[id]/documents/index.ts", `${BASE}/documents`, ["GET", "POST"]),
  ...keyed(
    "v1/knowledge-bases/[id]/documents/[documentId]/content.ts",
    `${BASE}/documents/${ID}/content`,
    ["GET"],
  ),
  ...keyed("v1/knowledge-bases/[id]/documents/[documentId]/index.ts", `${BASE}/documents/${ID}`, [
    "GET",
    "PUT",
    "DELETE",
  ]),
  ...keyed("v1/knowledge-bases/[id]/sources/index.ts", `${BASE}/sources`, ["GET", "POST"]),
  ...keyed("v1/knowledge-bases/[id]/sources/[sourceId]/index.ts", `${BASE}/sources/${ID}`, [
    "GET",
    "PATCH",
    "DELETE",
  ]),
  ...keyed(
    "v1/knowledge-bases/[id]/sources/[sourceId]/refresh.ts",
    `${BASE}/sources/${ID}/refresh`,
    ["POST"],
  ),
  ...keyed("v1/knowledge-bases/[id]/search.ts", `${BASE}/search`, ["POST"]),
  ...keyed("v1/mcp.ts", "/v1/mcp", ["POST"]),
  ...keyed("v1/usage.ts", "/v1/usage", ["GET"]),
  ...keyed("v1/visitor-erasures/[id].ts", `/v1/visitor-erasures/${ID}`, ["GET"]),
  ...keyed("v1/visitors/[id]/index.ts", VISITOR, ["GET", "DELETE"]),
  ...keyed("v1/visitors/[id]/export.ts", `/v1/visitors/${ID}/export`, ["GET"]),
  ...keyed("v1/widget/doctor.ts", "/v1/widget/doctor", ["POST"]),
  ...keyed("v1/widget/session.ts", "/v1/widget/session", ["POST", "DELETE"]),
];

function page(
  file: string,
  path: string,
  answer: { status: number; type: string | null },
): PublicRoute {
  return { file, method: "GET", path, ...answer };
}

/** A /v1 route that requires an API key for each method. */
function keyed(file: string, path: string, methods: string[]): PublicRoute[] {
  const answer = { status: 401, type: "application/json", code: "invalid_api_key" } as const;
  return methods.map((method) => ({ file, method, path, ...answer }));
}

/** A /v1 route that requires a session for each method. */
function ofSessions(file: string, path: string, methods: string[]): PublicRoute[] {
  const code = "session_token_invalid" as const;
  return keyed(file, path, methods).map((route) => ({ ...route, code }));
}

/** Every /v1 path with its methods. */
export function methodsOfV1(): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of PUBLIC_ROUTES) {
    if (path.startsWith("/v1/")) methods.set(path, [...methods.get(path) ?? [], method]);
  }
  return methods;
}
