/** A tool secret bound to one agent: the tools of other agents can neither be saved with it nor send it. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { adminCommands } from "@/lib/server/commands/admin_commands.ts";
import { CommandError } from "@/lib/server/commands/commands.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { Dashboard, PASSWORD, SETUP_TOKEN } from "./support/dashboard.ts";
import { expectInvalid } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

const VALUE = "crm-value-0123456789";
const HEADERS = { authorization: "Bearer {{secret.CRM_KEY}}" };

/** A service, a server that records the credentials it receives, and two agents with a tool that calls it. */
async function open() {
  const sent: (string | null)[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    ({ headers }) => {
      sent.push(headers.get("authorization"));
      return Response.json({ ok: true });
    },
  );
  const host = `127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  const env = { EGRESS_ALLOW: host, SETUP_TOKEN, DEMO: "off" };
  const service = await TestService.start({ ...instantRuntime(), env });
  const tenant = await service.tenant();
  const key = await service.key();
  const request = { method: "GET", url: `http://${host}/`, headers: HEADERS };
  const tool = httpTool({ parameters: { type: "object" }, request });
  const shop = await service.agent(key, { name: "Shop", tools: [tool], allowedDomains: [host] });
  const other = await service.agent(key, { name: "Other", tools: [tool], allowedDomains: [host] });
  const bind = (agentId?: string) =>
    service.service.secrets.set(tenant, {
      name: "CRM_KEY",
      value: VALUE,
      domains: [host],
      agentId,
    });
  /** The output of an agent's tool call. */
  const use = async (agent: { id: string }) => {
    const body = { agentId: agent.id, messages: [say("use lookup with {}")] };
    const frames = await readFrames(await byKey(service, { key, body }));
    return JSON.stringify(onlyFrame(frames, "tool_result").output);
  };
  const send = (method: string, path: string, json: unknown) =>
    service.fetch(path, { method, key, json });
  const close = async () => {
    await service[Symbol.asyncDispose]();
    await server.shutdown();
  };
  return {
    ...{ service, tenant, key, host, tool, shop, other, sent, bind, use, send },
    [Symbol.asyncDispose]: close,
  };
}

Deno.test("a secret bound to one agent is not sent for another, even if that one was saved with it before", async () => {
  await using fixture = await open();
  const { shop, other, sent, bind, use } = fixture;
  await bind();
  assertStringIncludes(await use(other), "200");
  await bind(shop.id);
  assertMatch(await use(other), /"tool_unreachable".*the secret CRM_KEY is bound to another agent/);
  assertStringIncludes(await use(shop), "200");
  assertEquals(sent, [`Bearer ${VALUE}`, `Bearer ${VALUE}`]);
  await bind();
  assertStringIncludes(await use(other), "200");
});

Deno.test("POST and PATCH /v1/agents: an agent that uses another agent's secret gets 400 with the reason, and is not stored", async () => {
  await using fixture = await open();
  const { service, key, host, tool, shop, other, bind, send } = fixture;
  await bind(shop.id);
  const body = { ...other, id: undefined, createdAt: undefined, updatedAt: undefined };
  const rejected = [
    await send("PATCH", `/v1/agents/${other.id}`, { name: "Renamed" }),
    await send("PATCH", `/v1/agents/${other.id}`, { tools: [tool] }),
    await send("POST", "/v1/agents", { ...body, version: undefined }),
  ];
  for (const answer of rejected) {
    const [issue] = await expectInvalid(answer, ["tools.0.request"]);
    assertEquals(issue?.code, "secret_of_another_agent");
    assertStringIncludes(issue!.message, "the secret CRM_KEY, which is bound to another agent");
  }
  const server = { type: "mcp", name: "shop", url: `http://${host}/mcp`, headers: HEADERS };
  const mcp = await send("PATCH", `/v1/agents/${other.id}`, { tools: [server] });
  await expectInvalid(mcp, ["tools.0.headers"]);
  // Its own agent can still be changed, and so can the other once it drops the secret.
  const own = await send("PATCH", `/v1/agents/${shop.id}`, { name: "Shop 2" });
  assertEquals([own.status, (await own.json()).name], [200, "Shop 2"]);
  const without = await send("PATCH", `/v1/agents/${other.id}`, { tools: [], name: "Free" });
  assertEquals([without.status, (await without.json()).name], [200, "Free"]);
  const listed = await (await service.fetch("/v1/agents", { key })).json();
  assertEquals(listed.data.map(({ name }: { name: string }) => name).sort(), [
    "Free",
    "Shop 2",
  ]);
});

Deno.test("the secret of a deleted agent stays bound to it until it is set again", async () => {
  await using fixture = await open();
  const { service, tenant, shop, other, sent, bind, use, send } = fixture;
  await bind(shop.id);
  assertEquals((await send("DELETE", `/v1/agents/${shop.id}`, undefined)).status, 204);
  assertStringIncludes(await use(other), "is bound to another agent");
  assertEquals(sent, []);
  const [info] = await service.service.secrets.list(tenant);
  assertEquals(info?.agentId, shop.id);
});

Deno.test("POST /agents/test-tool: a bound secret is sent only for its own agent", async () => {
  await using fixture = await open();
  const { service, tool, host, shop, other, sent, bind } = fixture;
  await bind(shop.id);
  const owner = await Dashboard.setUp(service);
  const test = async (agentId?: string) => {
    const call = { name: "lookup", args: {} };
    const body = { tool, allowedDomains: [host], call, ...agentId && { agentId } };
    return JSON.stringify((await (await owner.send("/agents/test-tool", body)).json()).output);
  };
  assertStringIncludes(await test(shop.id), "200");
  for (const id of [other.id, undefined]) assertStringIncludes(await test(id), "another agent");
  assertEquals(sent, [`Bearer ${VALUE}`]);
});

Deno.test("Settings: the form binds a secret to an agent, shows the agent, keeps it when the value is replaced, and is audited", async () => {
  await using fixture = await open();
  const { service, tenant, host, shop } = fixture;
  const owner = await Dashboard.setUp(service);
  const fields = { name: "CRM_KEY", value: VALUE, domains: host, own_password: PASSWORD };
  const set = (agentId: string) => owner.post("/settings/secrets/new", { ...fields, agentId });
  for (const wrong of [crypto.randomUUID(), "x".repeat(5_000), "../"]) {
    const rejected = await set(wrong);
    const html = await rejected.text();
    assertEquals(rejected.status, 400);
    assertStringIncludes(html, "This agent no longer exists.");
    assertStringIncludes(html, `>${host}</textarea>`);
  }
  assertEquals(await service.service.secrets.list(tenant), []);
  assertEquals((await set(shop.id)).status, 303);
  assertEquals((await service.service.secrets.list(tenant))[0]?.agentId, shop.id);
  const page = async (path: string) => await (await owner.get(path)).text();
  assertMatch(await page("/settings"), /<td data-heading="Agent">Shop<\/td>/);
  const form = await page("/settings/secrets/new?name=CRM_KEY");
  assertMatch(form, new RegExp(`<option[^>]* value="${shop.id}"[^>]*>Shop`));
  assertMatch(form, new RegExp(`<option (?=[^>]*selected)(?=[^>]*${shop.id})`));
  const [entry] = (await service.service.audit.list(tenant, { limit: 1 })).data;
  assertEquals([entry?.kind, entry?.action], ["secret", "create"]);
  assert(entry!.changes.some(({ field, after }) => field === "agentId" && after === shop.id));
  await service.service.agents.delete(tenant, shop.id);
  assertMatch(await page("/settings"), /<td data-heading="Agent">Deleted agent<\/td>/);
  assertStringIncludes(await page("/settings/secrets/new?name=CRM_KEY"), `${shop.id} (deleted)`);
});

Deno.test("secrets set --agent: binds a secret, and a new value without --agent never unbinds it", async () => {
  await using fixture = await open();
  const { service, host, shop } = fixture;
  const commands = adminCommands(service.service);
  const secret = { name: "CRM_KEY", value: VALUE, domains: [host] };
  const set = async (agentId?: string) => {
    const input = agentId === undefined ? secret : { ...secret, agentId };
    return await commands["secrets.set"](input).then(
      (done) => done.secret.agentId ?? "any",
      (error) => error instanceof CommandError ? error.message : Promise.reject(error),
    );
  };
  const unknown = crypto.randomUUID();
  assertEquals(await set(unknown), `agent ${unknown} not found`);
  assertStringIncludes(await set("shop"), "agentId: ");
  assertEquals(await set(), "any");
  assertEquals(await set(shop.id), shop.id);
  const bound = `CRM_KEY is for agent ${shop.id} alone: add --agent ${shop.id}, or --agent any`;
  assertEquals(await set(), bound);
  assertEquals(await set(shop.id), shop.id);
  assertEquals(await set("any"), "any");
});
