/** A tenant's connection to an MCP server that demands OAuth: from the dashboard to a run and back. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Dashboard, requireText, SETUP_TOKEN } from "./support/dashboard.ts";
import type { SeenRequest } from "./support/egress_server.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { MockAuthorizationServer, protectedMcp } from "./support/mock_authorization_server.ts";
import { rawMcp } from "./support/raw_mcp.ts";
import { TestService } from "./support/service.ts";
import { openTestKv } from "./support/open_kv.ts";
import { NEW_ENCRYPTION_KEY, TEST_ENCRYPTION_KEY } from "./support/encryption_keys.ts";
import { byKey, say } from "./support/widget_calls.ts";

/** An MCP server with its authorization server, a service, and an agent that uses it. */
async function open() {
  const answering: { answer?: (seen: SeenRequest) => Promise<Response> } = {};
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { method, url, headers } = request;
      return await answering.answer!({ method, url, headers, body: await request.text() });
    },
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const url = `http://${host}/mcp`;
  const mock = new MockAuthorizationServer({ issuer: `http://${host}/as` });
  const mcp = protectedMcp(mock, { url, inner: rawMcp() });
  answering.answer = async (seen) => await mock.answer(seen) ?? await mcp(seen);
  const kv = await openTestKv();
  const env = { EGRESS_ALLOW: host, SETUP_TOKEN, DEMO: "off" };
  const service = await TestService.start({ kv, env });
  const key = await service.key();
  const tools = [{ type: "mcp", name: "crm", url }];
  const agent = await service.agent(key, { tools, allowedDomains: [host] });
  const use = async () => {
    const body = { agentId: agent.id, messages: [say("use ask with {}")] };
    const frames = await readFrames(await byKey(service, { key, body }));
    return JSON.stringify(onlyFrame(frames, "tool_result").output);
  };
  return {
    ...{ service, mock, url, host, agent, key, use, kv },
    page: `/settings/mcp?${new URLSearchParams({ url, agent: agent.id })}`,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await server.shutdown();
    },
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Connects through the dashboard's forms and returns the address that the user is sent back to. */
async function signInAtProvider({ mock, page }: Opened, dashboard: Dashboard): Promise<string> {
  const fields = { action: "check", grantType: "authorization_code" };
  const asked = await dashboard.post(page, fields);
  assertEquals(asked.status, 200);
  assertStringIncludes(asked.headers.get("content-security-policy")!, new URL(mock.issuer).origin);
  const id = /name="id" value="([^"]+)"/.exec(await requireText(asked, /<form[^]*<\/form>/))![1]!;
  const confirmed = await dashboard.post(page, { action: "confirm", id });
  assertEquals(confirmed.status, 303);
  return mock.authorize(confirmed.headers.get("location")!);
}

async function follow(dashboard: Dashboard, href: string): Promise<Response> {
  const { pathname, search } = new URL(href);
  return await dashboard.get(pathname + search);
}

Deno.test("mcp connection: an editor connects a server, a run uses it, and home shows when it is lost", async () => {
  await using all = await open();
  const { service, mock, url, page, use } = all;
  const owner = await Dashboard.setUp(service);
  assertStringIncludes(await use(), "tool_unknown");
  const back = await follow(owner, await signInAtProvider(all, owner));
  assertEquals(back.status, 303);
  assertMatch(back.headers.get("location")!, /notice=mcp_connected/);
  assertEquals(await use(), '{"content":"fine"}');
  const connected = await (await owner.get(page)).text();
  assertStringIncludes(connected, "operator@example.com");
  const offer = await (await owner.post(page, { action: "describe" })).text();
  assertMatch(offer, /<code>ask<\/code>/);
  mock.forget({ all: true });
  await use();
  assertStringIncludes(await (await owner.get("/home")).text(), "is disconnected");
  assertMatch(await (await owner.get("/settings")).text(), /Needs attention/);
  const gone = await owner.post(page, { action: "disconnect" });
  assertEquals(gone.status, 303);
  assertEquals(await service.service.mcpAuthorizations.list(await service.tenant()), []);
  const audit = await (await owner.get("/audit")).text();
  for (const phrase of ["Connected MCP server", "Lost the connection", "Disconnected MCP"]) {
    assertStringIncludes(audit, phrase);
  }
  assertEquals(new URL(url).pathname, "/mcp");
});

Deno.test("mcp connection: no token is in a page, a frame, a log, an export or readable in the store", async () => {
  await using all = await open();
  const { service, mock, agent, key, page, use, kv } = all;
  const owner = await Dashboard.setUp(service);
  await follow(owner, await signInAtProvider(all, owner));
  const shown = [
    await use(),
    await (await owner.get(page)).text(),
    await (await owner.get("/settings")).text(),
    await (await owner.get(`/agents/${agent.id}/tools`)).text(),
    await (await owner.get("/audit")).text(),
    await (await service.fetch(`/v1/agents/${agent.id}`, { key })).text(),
    ...service.logged,
  ];
  for await (const { value } of kv.list({ prefix: [] })) {
    shown.push(value instanceof Uint8Array ? new TextDecoder().decode(value) : Deno.inspect(value));
    const bytes = (value as { sealed?: Uint8Array } | null)?.sealed;
    if (bytes instanceof Uint8Array) shown.push(new TextDecoder("latin1").decode(bytes));
  }
  assert(mock.secrets.length > 0);
  for (const secret of mock.secrets) {
    assertEquals(shown.filter((text) => text.includes(secret)), []);
  }
});

Deno.test("mcp connection: viewers, other sign-ins and strangers cannot finish one", async () => {
  await using all = await open();
  const { service, mock } = all;
  const owner = await Dashboard.setUp(service);
  const admin = await Dashboard.join(service, "admin");
  const viewer = await Dashboard.join(service, "viewer");
  const callback = await signInAtProvider(all, owner);
  assertEquals((await follow(viewer, callback)).status, 403);
  assertMatch((await follow(admin, callback)).headers.get("location")!, /problem=restart/);
  const stranger = await follow(new Dashboard(service), callback);
  assertMatch(stranger.headers.get("location")!, /^\/sign-in/);
  assertEquals(mock.tokenRequests, []);
  assertEquals((await viewer.post(all.page, { action: "disconnect" })).status, 403);
});

Deno.test("mcp connection: rotating the encryption key seals tokens again", async () => {
  await using all = await open();
  const { service, mock, kv, use } = all;
  const owner = await Dashboard.setUp(service);
  await follow(owner, await signInAtProvider(all, owner));
  await use();
  const encryptionKeys = [NEW_ENCRYPTION_KEY, TEST_ENCRYPTION_KEY];
  const env = { EGRESS_ALLOW: all.host, DEMO: "off" };
  await using rotated = await TestService.start({ kv, keepKv: true, encryptionKeys, env });
  const { changed, unreadable } = await rotated.service.reencryption.run();
  assertEquals([changed["mcp authorizations"], unreadable], [1, {}]);
  const server = { tenant: await service.tenant(), url: all.url };
  await rotated.service.mcpAuthorizations.disconnect(server.tenant, server.url);
  assertEquals(mock.revoked.length, 1);
});
