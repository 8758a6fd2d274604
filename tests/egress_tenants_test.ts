/** What the operator opens for one tenant in EGRESS_ALLOW is closed to every other. */
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

type Answer = (request: Request) => Response | Promise<Response>;

/** A plain http server on loopback that counts what reaches it. */
function listen(answer: Answer) {
  let reached = 0;
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      reached++;
      return await answer(request);
    },
  );
  const host = `127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  return { host, reached: () => reached, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A service of two tenants, whose `EGRESS_ALLOW` is made from their ids. */
async function twoTenants(allow: (a: string, b: string) => string) {
  const kv = await openTestKv();
  const tenants = new TenantStore(kv, systemRuntime);
  const [a, b] = [(await tenants.ensureDefault()).id, (await tenants.create("B")).id];
  const env = { EGRESS_ALLOW: allow(a, b) };
  const service = await TestService.start({ ...instantRuntime(), env, kv });
  return { service, a, b };
}

/** What one tool of one tenant's agent comes to, and what is noted of servers that are not listed. */
async function use(
  service: TestService,
  { tenant, tool, domains }: { tenant: string; tool: Record<string, unknown>; domains: string[] },
) {
  const key = await service.key(["agents:write"], tenant);
  const agent = await service.agent(key, { tools: [tool], allowedDomains: domains });
  const body = { agentId: agent.id, messages: [say("use lookup with {}")] };
  const frames = await readFrames(await byKey(service, { key, body }));
  // deno-lint-ignore no-explicit-any -- a test says what it expects of it
  return onlyFrame(frames, "tool_result").output as any;
}

function lookupAt(url: string) {
  const parameters = { type: "object" };
  return httpTool({ parameters, request: { method: "GET", url } });
}

Deno.test("EGRESS_ALLOW: a host or network bound to one tenant is refused to another", async () => {
  await using crm = listen(() => Response.json({ price: 12 }));
  for (const entry of [crm.host, "127.0.0.0/8"]) {
    const before = crm.reached();
    const { service, a, b } = await twoTenants((a) => `${a}=${entry}`);
    await using _ = service;
    const call = { tool: lookupAt(`http://${crm.host}/items`), domains: [crm.host] };
    assertEquals((await use(service, { ...call, tenant: b })).error.code, "domain_not_allowed");
    assertEquals(crm.reached(), before);
    const refusals = service.logged.map((line) => JSON.parse(line))
      .filter(({ message }) => message === "tool call blocked");
    assertEquals(
      refusals.map(({ tenant, host, reason }) => [tenant, host, reason]),
      [[b, crm.host, "it is plain http"]],
    );
    assertEquals((await use(service, { ...call, tenant: a })).status, 200);
    assertEquals(crm.reached(), before + 1);
  }
});

Deno.test("EGRESS_ALLOW: no redirect of a tenant's own host leads to what is bound to another", async () => {
  await using crm = listen(() => Response.json({ price: 12 }));
  await using own = listen(() => Response.redirect(`http://${crm.host}/items`, 302));
  const { service, b } = await twoTenants((a, b) => `${a}=${crm.host}, ${b}=${own.host}`);
  await using _ = service;
  const tool = lookupAt(`http://${own.host}/`);
  const output = await use(service, { tenant: b, tool, domains: [own.host, crm.host] });
  assertEquals(output.error.code, "domain_not_allowed");
  assertEquals([own.reached(), crm.reached()], [1, 0]);
});

Deno.test("EGRESS_ALLOW: an MCP server bound to one tenant offers another no tool", async () => {
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
  const { service, a, b } = await twoTenants((a) => `${a}=${shop.host}`);
  await using _ = service;
  const tool = { type: "mcp", name: "shop", url: `http://${shop.host}/mcp` };
  const call = { tool, domains: [shop.host] };
  assert("content" in await use(service, { ...call, tenant: a }));
  const reached = shop.reached();
  assertEquals((await use(service, { ...call, tenant: b })).error.code, "tool_unknown");
  assertEquals(shop.reached(), reached);
});

Deno.test("EGRESS_ALLOW: an entry for all tenants is warned of where there are several, an unknown tenant always", async () => {
  const warnings = (service: TestService) =>
    service.logged.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
  const nobody = crypto.randomUUID();
  const { service, a } = await twoTenants((a) =>
    `crm.internal,${a}=10.1.0.0/16,${nobody}=x.internal`
  );
  await using _ = service;
  const told = warnings(service);
  assertEquals(told.map(({ entries, entry }) => entries ?? entry), [
    "crm.internal",
    `${nobody}=x.internal`,
  ]);
  await using alone = await TestService.start({ env: { EGRESS_ALLOW: "crm.internal" } });
  assertEquals(warnings(alone), []);
  assert(a !== nobody);
});
