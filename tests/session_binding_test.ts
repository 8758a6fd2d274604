/** A session that is bound to a key: a copied token is worthless without it. RFC 9449. */
import { assert, assertEquals } from "@std/assert";
import { OPERATIONS } from "@/lib/openapi/openapi_document.ts";
import { takesSession } from "@/lib/openapi/operation.ts";
import { NONCE_PERIOD_MS } from "@/lib/services/proof_nonces.ts";
import { BoundSession, expectUnproven, mintSession } from "./support/bound_session.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { ProofKey } from "./support/proofs.ts";
import { PUBLIC_ROUTES } from "./support/public_routes.ts";
import { TestService } from "./support/service.ts";
import { ORIGIN, say } from "./support/widget_calls.ts";

async function start(change: Record<string, unknown> = {}) {
  const { runtime, advance } = instantRuntime();
  const service = await TestService.start({ runtime });
  const apiKey = await service.key();
  const agent = await service.agent(apiKey, { allowedOrigins: [ORIGIN], ...change });
  const mint = (options: Partial<Parameters<typeof BoundSession.mint>[1]> = {}) =>
    BoundSession.mint(service, { apiKey, agent, ...options });
  const dispose = () => service[Symbol.asyncDispose]();
  return { service, apiKey, agent, mint, advance, [Symbol.asyncDispose]: dispose };
}

async function endOf(response: Response): Promise<string | undefined> {
  assertEquals(response.status, 200, await (response.ok ? "" : response.text()));
  return (await readFrames(response)).at(-1)?.frame.type;
}

/** Every route that takes a session, with a body that it accepts. */
const SESSION_ROUTES = PUBLIC_ROUTES.filter(({ file, method }) => {
  const path = `/${file}`.replace(/(\/index)?\.ts$/, "").replace(
    /\[(?:runId|agentId|id|n)\]/g,
    "{}",
  );
  return OPERATIONS.some((one) =>
    takesSession(one) && one.method === method && one.path.replace(/\{\w+\}/g, "{}") === path
  );
});

function bodyFor(path: string, { method, agentId, token }: {
  method: string;
  agentId: string;
  token: string;
}): { json?: unknown; body?: FormData } {
  const id = crypto.randomUUID();
  const message = { id, role: "user", content: "Hi" };
  switch (`${method} ${path.replace(/[0-9a-f-]{36}/g, "*")}`) {
    case "POST /v1/chat/stream":
      return { json: { agentId, sessionToken: token, messages: [say("Hi")] } };
    case "POST /v1/ag-ui/*":
      return {
        json: {
          ...{ threadId: id, runId: id, messages: [message], tools: [], context: [], state: {} },
          forwardedProps: {},
        },
      };
    case "POST /v1/chat/attachments": {
      const body = new FormData();
      body.set("file", new File(["text"], "a.txt", { type: "text/plain" }));
      return { body };
    }
    case "PUT /v1/chat/runs/*/feedback":
      return { json: { rating: "up" } };
    case "PATCH /v1/chat/conversations/*":
      return { json: { title: "Title" } };
    case "PATCH /v1/chat/memory/*":
      return { json: { text: "Likes tea." } };
    case "POST /v1/chat/runs/*/calls/1/decision":
      return { json: { approve: true } };
    case "POST /v1/chat/runs/*/calls/1/output":
      return { json: { output: null } };
    case "POST /v1/chat/conversations/*/contact":
      return { json: { email: "jo@example.com", message: "Call me." } };
    default:
      return {};
  }
}

Deno.test("/v1: every route that takes a session needs a proof for exactly this call if it is bound", async () => {
  assertEquals(SESSION_ROUTES.length, OPERATIONS.filter(takesSession).length);
  const browserPaths = PUBLIC_ROUTES.filter(({ path }) => /^\/v1\/(chat|ag-ui)\//.test(path));
  assertEquals(SESSION_ROUTES.length, browserPaths.length);
  await using fixture = await start({ attachments: { documents: true } });
  const { agent, mint } = fixture;
  const session = await mint();
  assertEquals((await session.call("/v1/chat/limits")).status, 200);
  const thief = await ProofKey.create();
  for (const { method, path: listed } of SESSION_ROUTES) {
    const path = listed.replace(/(?<=ag-ui\/).*/, agent.id);
    const name = `${method} ${path}`;
    const body = () => bodyFor(path, { method, agentId: agent.id, token: session.token });
    const attacks: Record<string, Parameters<BoundSession["call"]>[1]> = {
      "no proof": { key: null },
      "another key": { key: thief },
      "another path": { proof: { url: `${path}x` } },
      "another method": { proof: { method: method === "GET" ? "POST" : "GET" } },
      "another token": { proof: { token: `${session.token}x` } },
      "no JWT": { dpop: "x" },
      "two headers": {
        dpop: `${await session.prove(method, path)}, ${await session.prove(method, path)}`,
      },
    };
    for (const [attack, how] of Object.entries(attacks)) {
      const response = await session.call(path, { method, ...body(), ...how });
      assertEquals(response.status, 401, `${name} with ${attack}`);
      await expectUnproven(response);
    }
    const stale = await session.call(path, { method, ...body(), proof: { nonce: undefined } });
    await expectUnproven(stale, "use_dpop_nonce");
    const proven = await session.call(path, { method, ...body() });
    // Most of them are 404: there is no such run or conversation.
    assert(proven.status !== 401 && proven.status < 500, `${name} is ${proven.status}`);
    assertEquals(proven.headers.get("dpop-nonce"), await session.nonce(), name);
    await proven.text();
    if (method !== "GET") continue;
    assertEquals((await session.call(path, { method: "HEAD", key: null })).status, 401);
    assert((await session.call(path, { method: "HEAD" })).status !== 401);
  }
});

Deno.test("/v1: answers to sessions that are not bound have no sign of proofs", async () => {
  await using fixture = await start();
  const { mint } = fixture;
  const session = await mint({ mint: {} });
  for (
    const response of [
      await session.call("/v1/chat/limits", { key: null }),
      await session.send({ key: null }),
    ]
  ) {
    assertEquals(response.status, 200);
    assertEquals(response.headers.has("dpop-nonce"), false);
    await response.text();
  }
  const unknown = await session.call("/v1/chat/limits", {
    ...{ key: null, headers: { "x-service-session": "cs_unknown" } },
  });
  assertEquals(unknown.headers.has("dpop-nonce"), false);
  assertEquals(unknown.headers.get("www-authenticate"), 'ServiceSession realm="agent-chat"');
  await unknown.text();
});

Deno.test("POST /v1/chat/stream: the key of the first valid proof is the only one from then on", async () => {
  await using fixture = await start();
  const { mint } = fixture;
  for (const bind of [{ bind: true }, {}]) {
    const session = await mint({ mint: bind });
    const other = await ProofKey.create();
    // Neither an invalid proof nor one without a nonce binds it.
    await expectUnproven(await session.send({ key: other, proof: { url: "/v1/chat/limits" } }));
    await expectUnproven(
      await session.send({ key: other, proof: { nonce: "x" } }),
      "use_dpop_nonce",
    );
    assertEquals(await endOf(await session.send()), "done");
    assertEquals(await endOf(await session.send()), "done");
    await expectUnproven(await session.send({ key: other }));
    await expectUnproven(await session.send({ key: null }));
  }
});

Deno.test("POST /v1/widget/session: with a thumbprint, no other key gets to bind the session", async () => {
  await using fixture = await start();
  const { mint, service, apiKey, agent } = fixture;
  const key = await ProofKey.create();
  const session = await mint({ key, mint: { bind: { jkt: await key.jkt() } } });
  await expectUnproven(await session.send({ key: await ProofKey.create() }));
  await expectUnproven(await session.call("/v1/chat/limits", { key: await ProofKey.create() }));
  assertEquals(await endOf(await session.send()), "done");
  const of = { apiKey, agent, headers: { origin: ORIGIN } };
  for (const bind of [false, null, {}, "true", { jkt: await key.jkt(), x: 1 }]) {
    await expectError(
      await mintSession(service, { ...of, mint: { bind } }),
      "schema_validation_failed",
    );
  }
  for (const jkt of ["short", `${await key.jkt()}=`]) {
    await expectInvalid(await mintSession(service, { ...of, mint: { bind: { jkt } } }), [
      "bind.jkt",
    ]);
  }
});

Deno.test("POST /v1/chat/stream: one proof sends one message, also when it is repeated with the same Idempotency-Key", async () => {
  await using fixture = await start();
  const { mint } = fixture;
  const session = await mint();
  const headers = { "idempotency-key": "a-key-of-at-least-16" };
  const dpop = await session.prove("POST", "/v1/chat/stream");
  const first = await session.send({ dpop, headers });
  const runId = first.headers.get("x-run-id");
  assertEquals(await endOf(first), "done");
  // The captured request as it is, and its proof with another message.
  await expectUnproven(await session.send({ dpop, headers }));
  await expectUnproven(await session.send({ dpop, question: "Something else" }));
  // An honest repetition has a proof of its own, and spends it.
  const again = await session.prove("POST", "/v1/chat/stream");
  const replayed = await session.send({ dpop: again, headers });
  assertEquals(replayed.headers.get("idempotency-replayed"), "true");
  assertEquals(replayed.headers.get("x-run-id"), runId);
  await replayed.text();
  await expectUnproven(await session.send({ dpop: again, headers }));
});

Deno.test("POST /v1/chat/stream: a message that was not admitted has not spent its proof", async () => {
  await using fixture = await start();
  const { mint, agent } = fixture;
  const session = await mint();
  const dpop = await session.prove("POST", "/v1/chat/stream");
  const invalid = { agentId: agent.id, sessionToken: session.token, messages: [] };
  await expectInvalid(await session.send({ dpop, json: invalid }), ["messages"]);
  assertEquals(await endOf(await session.send({ dpop })), "done");
});

Deno.test("POST /v1/chat/stream: of many messages with one proof, one is sent", async () => {
  await using fixture = await start();
  const { mint } = fixture;
  const session = await mint();
  const dpop = await session.prove("POST", "/v1/chat/stream");
  const sent = await Promise.all(Array.from({ length: 12 }, () => session.send({ dpop })));
  assertEquals(sent.filter(({ status }) => status === 200).length, 1);
  for (const response of sent) {
    if (response.ok) assertEquals(await endOf(response), "done");
    else await expectUnproven(response);
  }
});

Deno.test("/v1: a nonce works for two to four minutes, whatever the client's clock shows", async () => {
  await using fixture = await start();
  const { mint, advance } = fixture;
  const session = await mint();
  const nonce = await session.nonce();
  const call = (iat: number) =>
    session.call("/v1/chat/limits", { proof: { nonce, claims: { iat } } });
  for (const iat of [0, 4e9]) assertEquals(await statusOf(await call(iat)), 200);
  advance(NONCE_PERIOD_MS);
  assertEquals(await statusOf(await call(0)), 200);
  advance(NONCE_PERIOD_MS);
  const stale = await call(0);
  assertEquals(stale.headers.get("dpop-nonce"), await session.nonce());
  await expectUnproven(stale, "use_dpop_nonce");
});

Deno.test("/v1: the nonces that clients get are the same in all processes with the same secret", async () => {
  await using here = await start();
  await using there = await start();
  const nonce = await here.service.service.proofNonces.current();
  assertEquals(nonce, await there.service.service.proofNonces.current());
  // A process whose clock is behind accepts what another has just issued.
  here.advance(NONCE_PERIOD_MS);
  const ahead = await here.service.service.proofNonces.current();
  assertEquals(typeof await there.service.service.proofNonces.periodOf(ahead), "number");
  here.advance(NONCE_PERIOD_MS);
  const tooFar = await here.service.service.proofNonces.current();
  assertEquals(await there.service.service.proofNonces.periodOf(tooFar), undefined);
  assertEquals(await there.service.service.proofNonces.periodOf(`${nonce}x`), undefined);
});

Deno.test("GET /v1/chat/runs/:runId/stream: an expired session still follows its runs, with proofs only", async () => {
  await using fixture = await start();
  const { mint, advance } = fixture;
  const session = await mint();
  const answer = await session.send();
  const path = `/v1/chat/runs/${answer.headers.get("x-run-id")}/stream`;
  assertEquals(await endOf(answer), "done");
  advance(15 * 60_000 + 1);
  await expectUnproven(await session.call(path, { key: null }));
  await expectUnproven(await session.call(path, { key: await ProofKey.create() }));
  // Its frames are gone by now.
  await expectError(await session.call(path), "stream_expired");
});

Deno.test("/v1/chat: the preflight allows proofs, and pages may read the nonce", async () => {
  await using fixture = await start();
  const { service, agent } = fixture;
  for (const path of ["/v1/chat/stream", "/v1/chat/conversations", `/v1/ag-ui/${agent.id}`]) {
    const headers = { origin: ORIGIN, "access-control-request-method": "POST" };
    const preflight = await service.fetch(path, { method: "OPTIONS", headers });
    assert(preflight.headers.get("access-control-allow-headers")?.split(", ").includes("dpop"));
    const answer = await service.fetch(path, { headers: { origin: ORIGIN } });
    assert(answer.headers.get("access-control-expose-headers")?.split(", ").includes("dpop-nonce"));
    await answer.text();
  }
});

Deno.test("/v1: an API key needs no proof, and one beside it is ignored", async () => {
  await using fixture = await start();
  const { service, apiKey, agent } = fixture;
  const json = { agentId: agent.id, messages: [say("Hello")] };
  const init = { method: "POST", key: apiKey, json, headers: { dpop: "x" } };
  assertEquals(await endOf(await service.fetch("/v1/chat/stream", init)), "done");
});

async function statusOf(response: Response): Promise<number> {
  await response.text();
  return response.status;
}

Deno.test("POST /v1/widget/session: a mint is repeated with its binding", async () => {
  await using fixture = await start();
  const { service, apiKey, agent } = fixture;
  const headers = { origin: ORIGIN, "idempotency-key": "mint-once" };
  const of = { apiKey, agent, headers };
  const first = await expectJson(await mintSession(service, { ...of, mint: { bind: true } }), 201);
  const again = await expectJson(await mintSession(service, { ...of, mint: { bind: true } }), 201);
  assertEquals(again, first);
  await expectError(await mintSession(service, { ...of, mint: {} }), "idempotency_key_reused");
});
