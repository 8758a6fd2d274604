/** An EGRESS_ALLOW entry bound to one tenant opens nothing to any other tenant. */
import { assert, assertEquals } from "@std/assert";
import { TenantStore } from "@/lib/store/tenants/tenant_store.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { mcpEndpoint } from "./support/mcp_server.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** A plain HTTP server on loopback that counts its requests. */
function listen(handler: Handler) {
  let requests = 0;
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      requests++;
      return await handler(request);
    },
  );
  const host = `127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  return { host, requests: () => requests, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A service with two tenants, its `EGRESS_ALLOW` built from their ids. */
async function startTwoTenants(allow: (a: string, b: string) => string) {
  const kv = await openTestKv();
  const tenants = new TenantStore(kv, systemRuntime);
  const [a, b] = [(await tenants.ensureDefault()).id, (await tenants.create("B")).id];
  const env = { EGRESS_ALLOW: allow(a, b) };
  const service = await TestService.start({ ...instantRuntime(), env, kv });
  return { service, a, b };
}

/** Runs an agent of the tenant that calls the tool once; returns the tool's output. */
async function callTool(
  service: TestService,
  { tenant, tool, domains }: { tenant: string; tool: Record<string, unknown>; domains: string[] },
) {
  const key = await service.key(["agents:write"], tenant);
  const agent = await service.agent(key, { tools: [tool], allowedDomains: domains });
  const body = { agentId: agent.id, messages: [say("use lookup with {}")] };
  const frames = await readFrames(await byKey(service, { key, body }));
  // deno-lint-ignore no-explicit-any -- the output depends on the tool
  return onlyFrame(frames, "tool_result").output as any;
}

function lookupAt(url: string) {
  const parameters = { type: "object" };
  return httpTool({ parameters, request: { method: "GET", url } });
}

Deno.test("EGRESS_ALLOW: a host or network bound to one tenant is closed to another", async () => {
  await using crm = listen(() => Response.json({ price: 12 }));
  for (const entry of [crm.host, "127.0.0.0/8"]) {
    const before = crm.requests();
    const { service, a, b } = await startTwoTenants((a) => `${a}=${entry}`);
    await using _ = service;
    const call = { tool: lookupAt(`http://${crm.host}/items`), domains: [crm.host] };
    assertEquals(
      (await callTool(service, { ...call, tenant: b })).error.code,
      "domain_not_allowed",
    );
    assertEquals(crm.requests(), before);
    const blocked = service.logged.map((line) => JSON.parse(line))
      .filter(({ message }) => message === "tool call blocked");
    assertEquals(
      blocked.map(({ tenant, host, reason }) => [tenant, host, reason]),
      [[b, crm.host, "it is plain http"]],
    );
    assertEquals((await callTool(service, { ...call, tenant: a })).status, 200);
    assertEquals(crm.requests(), before + 1);
  }
});

Deno.test("EGRESS_ALLOW: a tenant's own host cannot redirect to a host bound to another tenant", async () => {
  await using crm = listen(() => Response.json({ price: 12 }));
  await using own = listen(() => Response.redirect(`http://${crm.host}/items`, 302));
  const { service, b } = await startTwoTenants((a, b) => `${a}=${crm.host}, ${b}=${own.host}`);
  await using _ = service;
  const tool = lookupAt(`http://${own.host}/`);
  const output = await callTool(service, { tenant: b, tool, domains: [own.host, crm.host] });
  assertEquals(output.error.code, "domain_not_allowed");
  assertEquals([own.requests(), crm.requests()], [1, 0]);
});

Deno.test("EGRESS_ALLOW: an MCP server bound to one tenant offers no tools to another", async () => {
  const endpoint = mcpEndpoint({
    tools: (server) =>
      server.registerTool(
        "lookup",
        { description: "Looks up.", inputSchema: {} },
        () => ({ content: [{ type: "text", text: "found" }] }),
      ),
  });
  await using shop = listen(async (request) => {
    const { method, url, headers } = request;
    return await endpoint({ method, url, headers, body: await request.text() });
  });
  const { service, a, b } = await startTwoTenants((a) => `${a}=${shop.host}`);
  await using _ = service;
  const tool = { type: "mcp", name: "shop", url: `http://${shop.host}/mcp` };
  const call = { tool, domains: [shop.host] };
  assert("content" in await callTool(service, { ...call, tenant: a }));
  const requests = shop.requests();
  assertEquals((await callTool(service, { ...call, tenant: b })).error.code, "tool_unknown");
  assertEquals(shop.requests(), requests);
});

Deno.test("EGRESS_ALLOW: an entry for all tenants logs a warning if there are several, an unknown tenant always does", async () => {
  const warnings = (service: TestService) =>
    service.logged.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
  const unknown = crypto.randomUUID();
  const { service, a } = await startTwoTenants((a) =>
    `crm.internal,${a}=10.1.0.0/16,${unknown}=x.internal`
  );
  await using _ = service;
  assertEquals(warnings(service).map(({ entries, entry }) => entries ?? entry), [
    "crm.internal",
    `${unknown}=x.internal`,
  ]);
  await using alone = await TestService.start({ env: { EGRESS_ALLOW: "crm.internal" } });
  assertEquals(warnings(alone), []);
  assert(a !== unknown);
});
