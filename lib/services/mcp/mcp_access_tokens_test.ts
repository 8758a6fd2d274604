import { setImmediate } from "node:timers";
import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../agent/tools/tool_error.ts";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import {
  ADMIN,
  authorize,
  bothServers,
  MCP_URL,
  mcpProcess,
  TENANT,
} from "@/tests/support/mcp_connections.ts";
import { MockAuthorizationServer } from "@/tests/support/mock_authorization_server.ts";
import { openTestKv } from "@/tests/support/open_kv.ts";

const REQUEST = { tenant: TENANT, url: MCP_URL, signal: new AbortController().signal };
const HOUR = 3_600_000;

/** A connected tenant, and processes on one store. */
async function connected() {
  const kv = await openTestKv();
  const mock = new MockAuthorizationServer();
  const server = new EgressServer(bothServers(mock));
  const runtime = new FakeRuntime();
  const process = mcpProcess(kv, { server, runtime });
  await process.authorizations.finish(ADMIN, await authorize(process, mock));
  mock.tokenRequests.length = 0;
  const another = () => mcpProcess(kv, { server, runtime }).tokens;
  return {
    ...{ mock, process, another, runtime },
    tokens: process.tokens,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      kv.close();
    },
  };
}

async function unauthorized(work: Promise<unknown>): Promise<string> {
  const error = await assertRejects(() => work, ToolError);
  assertEquals(error.code, "tool_unauthorized");
  return error.message;
}

/** Moves the clock until the work is done, slowly enough for what it waits for besides. */
async function whileTimePasses<T>(runtime: FakeRuntime, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => isDone = true);
  done.catch(() => {});
  while (!isDone) {
    await runtime.advance(1);
    await new Promise((wake) => setImmediate(wake));
  }
  return await done;
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((wake) => setImmediate(wake));
}

Deno.test("McpAccessTokens: of many runs in two processes, one renews and all get its token", async () => {
  await using all = await connected();
  const { mock, runtime, tokens } = all;
  await runtime.advance(HOUR);
  const asking = [tokens, all.another(), tokens, all.another()].map((one) => one.current(REQUEST));
  const got = await whileTimePasses(runtime, Promise.all(asking));
  assertEquals(new Set(got).size, 1);
  assertEquals(mock.isValid(got[0]), true);
  assertEquals(mock.tokenRequests.map((form) => form.get("grant_type")), ["refresh_token"]);
  assertEquals(mock.tokenRequests[0]!.get("resource"), MCP_URL);
});

Deno.test("McpAccessTokens: a process that dies while it renews does not block the next for long", async () => {
  await using all = await connected();
  const { mock, runtime, process } = all;
  await runtime.advance(HOUR);
  const snapshot = await process.store.read(TENANT, MCP_URL);
  const renewal = { id: "dead", until: runtime.now() + 30_000 };
  await process.store.write(snapshot, { renewal });
  const asking = all.another().current(REQUEST);
  await whileTimePasses(runtime, turns(20));
  assertEquals(mock.tokenRequests, []);
  await runtime.advance(30_000);
  assertEquals(mock.isValid(await whileTimePasses(runtime, asking)), true);
});

Deno.test("McpAccessTokens: a withdrawn authorization needs attention until somebody connects again", async () => {
  await using all = await connected();
  const { mock, runtime, process, tokens } = all;
  mock.forget({ all: true });
  await runtime.advance(HOUR);
  assertEquals(
    await unauthorized(tokens.current(REQUEST)),
    "the connection to tools.example.com needs attention in the dashboard: its authorization was " +
      "withdrawn",
  );
  await unauthorized(tokens.current(REQUEST));
  assertEquals(mock.tokenRequests.length, 1);
  const head = await process.authorizations.find(TENANT, MCP_URL);
  assertEquals([head?.state, head?.problem], ["attention", "revoked"]);
  await process.authorizations.finish(ADMIN, await authorize(process, mock));
  assertEquals(mock.isValid(await tokens.current(REQUEST)), true);
});

Deno.test("McpAccessTokens: while the authorization server is down, a token is used until it expires", async () => {
  await using all = await connected();
  const { mock, runtime, process, tokens } = all;
  mock.onToken = () => new Response("down", { status: 503 });
  await runtime.advance(HOUR - 30_000);
  assertEquals(mock.isValid(await tokens.current(REQUEST)), true);
  await runtime.advance(30_000);
  const error = await assertRejects(() => tokens.current(REQUEST), ToolError);
  assertEquals(error.code, "tool_unreachable");
  assertEquals((await process.authorizations.find(TENANT, MCP_URL))?.state, "connected");
  mock.onToken = () => undefined;
  await runtime.advance(5_000);
  assertEquals(mock.isValid(await tokens.current(REQUEST)), true);
});

Deno.test("McpAccessTokens: an authorization server that is down is asked once in 5 s, by all runs together", async () => {
  await using all = await connected();
  const { mock, runtime, tokens } = all;
  mock.onToken = () => new Response("down", { status: 503 });
  // At first the token is still good, then it is not.
  for (const ms of [HOUR - 30_000, 30_000]) {
    await runtime.advance(ms);
    mock.tokenRequests.length = 0;
    const runs = [tokens, all.another(), tokens, all.another()];
    const asking = () => Promise.allSettled(runs.map((one) => one.current(REQUEST)));
    for (let n = 0; n < 2; n++) await whileTimePasses(runtime, asking());
    assertEquals(mock.tokenRequests.length, 1);
  }
});

Deno.test("McpAccessTokens: runs with a good token do not wait for a renewal", async () => {
  await using all = await connected();
  const { mock, runtime, tokens } = all;
  const old = await tokens.current(REQUEST);
  await runtime.advance(HOUR - 30_000);
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<undefined>();
  mock.onToken = () => {
    asked.resolve();
    return answer.promise;
  };
  const renewing = tokens.current(REQUEST);
  await asked.promise;
  assertEquals(await all.another().current(REQUEST), old);
  answer.resolve(undefined);
  const renewed = await renewing;
  assertEquals([mock.isValid(renewed), renewed === old], [true, false]);
});

Deno.test("McpAccessTokens: tokens that arrive after a disconnection are revoked, not stored", async () => {
  await using all = await connected();
  const { mock, runtime, process, tokens } = all;
  await runtime.advance(HOUR);
  mock.onToken = () => {
    return process.authorizations.disconnect(TENANT, MCP_URL).then(() => undefined);
  };
  await unauthorized(tokens.current(REQUEST));
  assertEquals(await process.authorizations.find(TENANT, MCP_URL), undefined);
  assertEquals(mock.revoked.length, 2);
});

Deno.test("McpAccessTokens: a connection that begins while tokens are renewed loses neither", async () => {
  await using all = await connected();
  const { mock, runtime, process, tokens } = all;
  await runtime.advance(HOUR);
  let begun: Promise<unknown> | undefined;
  mock.onToken = () => {
    const input = { url: MCP_URL, grantType: "authorization_code" as const };
    begun ??= process.authorizations.check(ADMIN, input);
    return begun.then(() => undefined);
  };
  const token = await tokens.current(REQUEST);
  assertEquals(mock.isValid(token), true);
  const { id } = await begun as { id: string };
  await process.authorizations.confirm(ADMIN, { url: MCP_URL, id });
});

Deno.test("McpAccessTokens: a token that the server rejects twice is not sent a third time", async () => {
  await using all = await connected();
  const { process, tokens } = all;
  const first = (await tokens.current(REQUEST))!;
  const second = await tokens.renew({ ...REQUEST, rejected: first });
  assertEquals(await tokens.renew({ ...REQUEST, rejected: first }), second);
  await unauthorized(tokens.reject({ ...REQUEST, rejected: second }));
  await unauthorized(tokens.current(REQUEST));
  assertEquals((await process.authorizations.find(TENANT, MCP_URL))?.problem, "rejected");
});

Deno.test("McpAccessTokens: a provider that issues the same token again is asked once", async () => {
  await using all = await connected();
  const { mock, tokens } = all;
  const same = (await tokens.current(REQUEST))!;
  mock.onToken = () => {
    return Response.json({ access_token: same, token_type: "bearer", expires_in: 1 });
  };
  await unauthorized(tokens.renew({ ...REQUEST, rejected: same }));
  assertEquals(mock.tokenRequests.length, 1);
});

Deno.test("McpAccessTokens: a token of a short life is not renewed for every request", async () => {
  await using all = await connected();
  const { mock, runtime, tokens } = all;
  await runtime.advance(HOUR);
  let n = 0;
  mock.onToken = () => {
    return Response.json({ access_token: `short-${++n}`, token_type: "bearer", expires_in: 40 });
  };
  for (const [seconds, token] of [[0, 1], [29, 1], [1, 2], [29, 2]] as const) {
    await runtime.advance(seconds * 1_000);
    assertEquals(await tokens.current(REQUEST), `short-${token}`);
  }
});

Deno.test("McpAccessTokens: new tokens outlast a short outage of the store", async () => {
  await using all = await connected();
  const { mock, runtime, process, tokens } = all;
  await runtime.advance(HOUR);
  const { store } = process;
  const write = store.write.bind(store);
  let outages = 0;
  mock.onToken = () => {
    store.write = (...args) => {
      return ++outages <= 3 ? Promise.reject(new Error("the store is down")) : write(...args);
    };
    return undefined;
  };
  const token = await whileTimePasses(runtime, tokens.current(REQUEST));
  assertEquals([mock.isValid(token), outages, mock.tokenRequests.length], [true, 4, 1]);
});
