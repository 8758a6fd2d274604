/** GET /v1/openapi.json matches the service: every route, error and response. */
import { assert, assertEquals } from "@std/assert";
import type { OpenApiDocument } from "@/lib/openapi/openapi_types.ts";
import { ERROR_STATUS, type ErrorCode, type ErrorEnvelope } from "@/lib/schemas/error_codes.ts";
import { SCOPE_NAMES as SCOPES } from "@/lib/schemas/scopes.ts";
import { addressOf, answeredBy, ApiDocument, type Documented } from "./support/api_document.ts";
import { breakableKv } from "./support/broken_kv.ts";
import { expectJson } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { PUBLIC_ROUTES } from "./support/public_routes.ts";
import { agentBody, TestService, type TestServiceOptions } from "./support/service.ts";

const ID = crypto.randomUUID();
/** Path parameters. */
const IDS = {
  ...{ kind: "agents", key: "shop" },
  id: ID,
  agent: ID,
  agentId: ID,
  documentId: ID,
  rehearsalId: ID,
  caseId: ID,
  testRunId: ID,
  sourceId: ID,
  runId: ID,
  n: "1",
  hash: "0123456789ab",
};
/** HTML pages, which are not part of the API. */
const PAGES = [
  ...["/", "/demo", "/chat/unknown", "/chat/unknown/session"],
  // For editors of files: docs/agents-as-files.md describes them.
  ...["agent", "knowledge-base", "test-set"].map((name) => `/schemas/${name}.json`),
];
/** What authorization servers of MCP servers read, whose form OAuth defines. */
const CLIENT_DOCUMENT = "/mcp/client/0123456789-_abcdefABCD";
/** For Prometheus, with a token of the operator; `docs/telemetry.md` describes it. */
const METRICS = "/metrics";
const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** A service with its API document. */
async function open(options: TestServiceOptions = {}) {
  const service = await TestService.start(options);
  const document: OpenApiDocument = await (await service.fetch("/v1/openapi.json")).json();
  const api = new ApiDocument(document);
  return { service, api, of: api.operations.filter(({ path }) => path.startsWith("/v1/")) };
}

/** Calls `operation` and checks the response against the document. */
async function call(
  { service, api }: { service: TestService; api: ApiDocument },
  operation: Documented,
  init: RequestInit & { json?: unknown; key?: string } = {},
): Promise<{ status: number; code?: ErrorCode; envelope?: ErrorEnvelope; headers: Headers }> {
  const path = addressOf(operation, IDS);
  const answered = await answeredBy(
    await service.fetch(path, { method: operation.method, ...init }),
  );
  assertEquals(api.faultsOf(operation, answered), [], `${operation.operationId} ${answered.text}`);
  const { status, headers, text } = answered;
  if (status < 400) return { status, headers };
  const body = JSON.parse(text);
  const envelope: ErrorEnvelope = "http" in body ? body : body.error;
  return { status, headers, envelope, code: envelope.code };
}

function scopeOf(operation: Documented): string | undefined {
  return operation.security.flatMap((scheme) => scheme.ApiKey ?? [])[0];
}

/** The largest bodies of operations that take files. */
const MAX_BODIES: Record<string, number> = {
  createDocument: 21 * 1_048_576,
  replaceDocument: 21 * 1_048_576,
  uploadAttachment: 11 * 1_048_576,
};

/** The example body of an operation. */
function exampleBody({ requestBody }: Documented): unknown {
  return requestBody?.content["application/json"]?.examples?.example?.value;
}

/** The error codes that an operation documents for a status. */
function codesOf({ responses }: Documented, status: number): string[] {
  return Object.keys(responses[status]?.content?.["application/json"]?.examples ?? {});
}

/** Only a page may call it: an API key is no credential. */
function isSessionOnly({ security }: Documented): boolean {
  return security.length > 0 && security.every((scheme) => "ServiceSession" in scheme);
}

/** The credentials that every operation together needs: a key, and a session of the service's page. */
async function credentials(service: TestService) {
  const key = await service.key([...SCOPES]);
  const { id } = await service.agent(key);
  const headers = { origin: service.url };
  const path = `/v1/agents/${id}/playground-session`;
  const minted = await service.fetch(path, { method: "POST", key, headers });
  const session = { "x-service-session": (await minted.json()).sessionToken };
  return (operation: Documented) => isSessionOnly(operation) ? { headers: session } : { key };
}

Deno.test("GET /v1/openapi.json: lists every public route and method, and nothing else", async () => {
  const { service, api } = await open();
  await using _ = service;
  const routed = PUBLIC_ROUTES
    .filter(({ path }) => ![...PAGES, CLIENT_DOCUMENT, METRICS].includes(path))
    .map(({ method, path }) => `${method} ${path}`);
  const documented = api.operations.map(({ method, path }) => {
    const id = PUBLIC_ROUTES.find((route) => route.path.startsWith("/v1/agents/"))!
      .path.split("/")[3]!;
    return `${method} ${
      addressOf({ path }, {
        ...IDS,
        id,
        agent: id,
        agentId: id,
        documentId: id,
        runId: id,
        rehearsalId: id,
        caseId: id,
        testRunId: id,
        sourceId: id,
      })
    }`;
  });
  assertEquals(documented.sort(), routed.sort());
});

Deno.test("GET /v1/openapi.json: needs no credential and names this service's URL", async () => {
  const { service, api } = await open();
  await using _ = service;
  const answer = await service.fetch("/v1/openapi.json");
  assertEquals(answer.headers.get("cache-control"), "public, max-age=60");
  const document: OpenApiDocument = await expectJson(answer, 200);
  assertEquals(document, api.document);
  assertEquals(document.servers, [{ url: service.url }]);
});

Deno.test("the API document: a missing credential is the documented 401, or none is needed", async () => {
  const { service, api, of } = await open();
  await using _ = service;
  for (const operation of of) {
    const { code } = await call({ service, api }, operation);
    const needsKey = operation.security.some((scheme) => "ApiKey" in scheme);
    const isRejected = operation.security.length > 0;
    const wanted = needsKey ? "invalid_api_key" : isRejected ? "session_token_invalid" : undefined;
    assertEquals(code, wanted, operation.operationId);
  }
});

Deno.test("the API document: a key needs the documented scope, and no other", async () => {
  const { service, api, of } = await open();
  await using _ = service;
  for (const operation of of.filter((one) => !isSessionOnly(one))) {
    const scope = scopeOf(operation);
    // Any key may speak MCP: its scopes decide which tools there are.
    const isChat = operation.path !== "/v1/mcp" &&
      operation.security.some((scheme) =>
        "ServiceSession" in scheme || scheme.ApiKey?.length === 0
      );
    const others = SCOPES.filter((one) =>
      isChat ? one.endsWith(":read") : one !== scope && one !== scope?.replace(":read", ":write")
    );
    const without = await call({ service, api }, operation, { key: await service.key(others) });
    const isScoped = isChat || scope !== undefined;
    assertEquals(without.code === "insufficient_scope", isScoped, operation.operationId);
    assertEquals(codesOf(operation, 403).includes("insufficient_scope"), isScoped);
    const only = SCOPES.filter((one) => isChat ? one === "widget:mint" : one === scope);
    const having = await call({ service, api }, operation, { key: await service.key(only) });
    assert(having.code !== "insufficient_scope", operation.operationId);
  }
});

Deno.test("the API document: a method that a path does not list is 405, with the listed ones in Allow", async () => {
  const { service, api, of } = await open();
  await using _ = service;
  for (const [path, operations] of Map.groupBy(of, (operation) => operation.path)) {
    const listed = operations.map(({ method }) => method);
    const head = listed.includes("GET") ? ["HEAD"] : [];
    for (const method of VERBS.filter((verb) => !listed.includes(verb))) {
      const { code, headers } = await call({ service, api }, { ...operations[0]!, method });
      assertEquals(code, "method_not_allowed", `${method} ${path}`);
      const allow = headers.get("allow")!.split(", ");
      assertEquals(allow.sort(), [...listed, ...head, "OPTIONS"].sort(), path);
    }
  }
});

Deno.test("the API document: exactly the operations with a body check its type, and every write checks its size", async () => {
  const { service, api, of } = await open();
  await using _ = service;
  const credential = await credentials(service);
  for (const operation of of) {
    const { headers, ...key } = { headers: {}, ...credential(operation) };
    const takes = operation.requestBody !== undefined;
    const changes = !["GET", "HEAD"].includes(operation.method);
    assertEquals([codesOf(operation, 413).length, codesOf(operation, 415).length], [
      +changes,
      +takes,
    ]);
    if (!changes) continue;
    const send = (type: string, body: BodyInit) =>
      call({ service, api }, operation, {
        ...key,
        body,
        // Without one, a mint is rejected before its body is read.
        headers: { ...headers, "content-type": type, origin: service.url },
      });
    if (takes) {
      assertEquals((await send("text/plain", "{}")).code, "unsupported_media_type");
      const isJson = operation.requestBody?.content["application/json"] !== undefined;
      const code = isJson ? "schema_validation_failed" : "unsupported_media_type";
      assertEquals((await send("application/json", "{")).code, code);
    }
    const most = MAX_BODIES[operation.operationId] ?? 1_048_576;
    const large = new Uint8Array(most + 1).fill(0x20);
    assertEquals((await send("application/json", large)).code, "payload_too_large");
  }
});

Deno.test("the API document: an unknown id in the path is the documented 404", async () => {
  const { service, api, of } = await open();
  await using _ = service;
  const credential = await credentials(service);
  // A visitor is known to its backend: without messages its usage is zero.
  const ofVisitors = (path: string) => path.startsWith("/v1/visitors/");
  const withId = of.filter(({ path }) => path.includes("{id}") && !ofVisitors(path));
  for (const operation of withId) {
    const body = operation.requestBody === undefined ? {} : { json: exampleBody(operation) };
    const { code } = await call({ service, api }, operation, { ...credential(operation), ...body });
    // The word of OpenAI's clients.
    const isModel = operation.path.startsWith("/v1/openai/");
    assertEquals(code, isModel ? "model_not_found" : "not_found", operation.operationId);
  }
});

Deno.test("the API document: exactly the documented operations count towards the limit per address", async () => {
  const { service, api, of } = await open({ limits: { ipRequests: 1 } });
  await using _ = service;
  await (await service.fetch("/v1/agents")).body?.cancel();
  for (const operation of of) {
    const { code } = await call({ service, api }, operation);
    const limited = code === "rate_limit_exceeded";
    assertEquals(limited, operation["x-rate-limited"], operation.operationId);
    assertEquals(codesOf(operation, 429).includes("rate_limit_exceeded"), limited);
  }
});

Deno.test("the API document: a tenant's stream limit and daily cost limit are documented 429s of the chat", async () => {
  const wanted = { streams: "rate_limit_exceeded", hardDailyCost: "plan_limit_exceeded" };
  for (const [limit, code] of Object.entries(wanted)) {
    const { service, api } = await open({ limits: { [limit]: 0 } });
    await using _ = service;
    const key = await service.key();
    const json = {
      agentId: (await service.agent(key)).id,
      messages: [{ role: "user", content: "Hello" }],
    };
    assertEquals((await call({ service, api }, api.find("streamChat"), { key, json })).code, code);
  }
});

Deno.test("the API document: a failing store is a documented error of every operation", async () => {
  const store = await breakableKv();
  const { service, api } = await open({ kv: store.kv, ...instantRuntime() });
  await using _ = service;
  const key = await service.key([...SCOPES]);
  store.break("the disk is gone");
  for (const operation of api.operations.filter((one) => one.path !== "/readyz")) {
    const { client, panel, extras, texts, widget } = service.service;
    const files = {
      ...{ "/client": client, "/widget-panel": panel },
      ...{ "/widget-extras": extras, "/widget-texts": texts },
    };
    const [, file = widget] = Object.entries(files)
      .find(([start]) => operation.path.startsWith(start)) ?? [];
    const { hash12: hash } = file;
    const path = addressOf(operation, { ...IDS, hash });
    const { method } = operation;
    const answered = await answeredBy(await service.fetch(path, { method, key }));
    assertEquals(api.faultsOf(operation, answered), [], operation.operationId);
    const isStored = operation.security.length > 0 ||
      ["getWidgetAppearance", "getSealKeys"].includes(operation.operationId);
    assertEquals(answered.status >= 400, isStored, operation.operationId);
  }
  const readiness = await answeredBy(await service.fetch("/readyz"));
  assertEquals(api.faultsOf(api.find("getReadiness"), readiness), []);
  assertEquals(readiness.status, 503);
});

Deno.test("the API document: exactly the operations that list Idempotency-Key honor it", async () => {
  const { service, api, of } = await open();
  await using _ = service;
  const key = await service.key([...SCOPES]);
  const headers = { origin: service.url, "idempotency-key": "k".repeat(256) };
  for (const operation of of.filter(({ requestBody }) => requestBody !== undefined)) {
    const json = exampleBody(operation);
    const { envelope } = await call({ service, api }, operation, { key, json, headers });
    const issues = envelope?.details?.issues as { path: string }[] | undefined;
    const listed = operation.parameters?.some(({ name }) => name === "Idempotency-Key") === true;
    assertEquals(issues?.[0]?.path === "Idempotency-Key", listed, operation.operationId);
  }
});

Deno.test("the API document: a replayed response, and the key with another body, are as documented", async () => {
  const { service, api } = await open();
  await using _ = service;
  const create = api.find("createAgent");
  const headers = { "idempotency-key": crypto.randomUUID() };
  const once = { key: await service.key(), json: agentBody(), headers };
  const first = await call({ service, api }, create, once);
  const second = await call({ service, api }, create, once);
  const replayed = [first, second].map((one) => one.headers.get("idempotency-replayed"));
  assertEquals([first.status, second.status, ...replayed], [201, 201, null, "true"]);
  const json = { ...agentBody(), name: "Another" };
  const { code } = await call({ service, api }, create, { ...once, json });
  assertEquals(code, "idempotency_key_reused");
});

Deno.test("the API document: every error code is documented by an operation", async () => {
  const { service, of } = await open();
  await using _ = service;
  const documentedCodes = of.flatMap((one) =>
    Object.keys(one.responses).flatMap((s) => codesOf(one, +s))
  );
  const later: string[] = [];
  assertEquals(Object.keys(ERROR_STATUS).filter((code) => !documentedCodes.includes(code)), later);
});
