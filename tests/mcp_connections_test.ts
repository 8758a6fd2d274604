/** A tenant's connection to an MCP server that demands OAuth: from the dashboard to a run and back. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Dashboard, requireText } from "./support/dashboard.ts";
import { type McpTenant, openMcpTenant } from "./support/mcp_tenant.ts";
import { TestService } from "./support/service.ts";
import { NEW_ENCRYPTION_KEY, TEST_ENCRYPTION_KEY } from "./support/encryption_keys.ts";

/** Connects through the dashboard's forms and returns the address that the user is sent back to. */
async function signInAtProvider({ mock, page }: McpTenant, dashboard: Dashboard): Promise<string> {
  const fields = { action: "check", grantType: "authorization_code" };
  const asked = await dashboard.post(page, fields);
  assertEquals(asked.status, 200);
  assertStringIncludes(asked.headers.get("content-security-policy")!, "form-action 'self' http:;");
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
  await using all = await openMcpTenant();
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
  await using all = await openMcpTenant();
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
  await using all = await openMcpTenant();
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
  const nowhere = await owner.get(`/mcp/callback/${"x".repeat(3_000)}?state=x&code=x`);
  assertEquals([nowhere.status, nowhere.headers.get("location")], [
    303,
    "/settings?problem=restart#mcp-servers",
  ]);
  const credentials = new URLSearchParams({ url: "https://user:password@crm.example.com/mcp" });
  assertEquals((await owner.get(`/settings/mcp?${credentials}`)).status, 400);
});

Deno.test("mcp connection: rotating the encryption key seals tokens again", async () => {
  await using all = await openMcpTenant();
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
