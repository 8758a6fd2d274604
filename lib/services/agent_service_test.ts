import { assertEquals, assertRejects } from "@std/assert";
import { openAgentServices } from "@/tests/support/agent_services.ts";
import { agentBodyOf, httpTool, rawAgentBody } from "@/tests/support/agents.ts";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import { ApiError } from "../schemas/api_error.ts";
import { AgentStore } from "../store/agents/agent_store.ts";
import { keys } from "../store/keys/keys.ts";

const [OURS, THEIRS] = [fakeUuid(801), fakeUuid(802)];

/** The paths of the issues of a rejected call. */
async function issues(call: () => Promise<unknown>): Promise<string[]> {
  const error = await assertRejects(call, ApiError);
  assertEquals(error.code, "schema_validation_failed");
  return (error.details?.issues as { path: string }[]).map((issue) => issue.path);
}

async function codeOf(call: () => Promise<unknown>): Promise<string> {
  return (await assertRejects(call, ApiError)).code;
}

Deno.test("AgentService: models outside the plan and foreign knowledge bases are reported together", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const body = rawAgentBody({
    modelPolicy: { provider: "vendor_a", model: "unknown" },
    fallback: { provider: "vendor_b", model: "unknown" },
    knowledgeBaseId: fakeUuid(7),
  });
  assertEquals(await issues(() => agents.create(OURS, body)), [
    "modelPolicy.model",
    "fallback.model",
    "knowledgeBaseId",
  ]);
  assertEquals(await agents.list(OURS, { limit: 1 }), { data: [] });
});

Deno.test("AgentService: a plan with a list of models allows only those", async () => {
  using kv = await Deno.openKv(":memory:");
  const { models } = openAgentServices(kv);
  const plan = { v: 1, models: [{ vendor: "vendor_b", model: "demo" }] };
  await kv.set(keys.plan(OURS), plan);
  const issues = (provider: "vendor_a" | "vendor_b") =>
    models.issues(OURS, { provider, model: "demo" }, "model");
  assertEquals(await issues("vendor_b"), []);
  assertEquals((await issues("vendor_a")).map((issue) => issue.path), ["model"]);
});

Deno.test("AgentService: a patch merges policy and budget, replaces other fields and keeps absent ones", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const made = await agents.create(
    OURS,
    rawAgentBody({
      modelPolicy: { provider: "vendor_a", model: "demo", temperature: 1 },
      fallback: { provider: "vendor_b", model: "demo" },
      allowedDomains: ["a.example", "b.example"],
    }),
  );
  const patched = await agents.patch(OURS, made.id, {
    patch: {
      modelPolicy: { provider: "vendor_c" },
      budget: { maxSteps: 9 },
      allowedDomains: ["c.example"],
    },
  });
  assertEquals(patched.modelPolicy, { provider: "vendor_c", model: "demo", temperature: 1 });
  assertEquals(patched.budget, { maxCostUsd: 1, maxSteps: 9, wallClockMs: 30_000 });
  assertEquals(patched.allowedDomains, ["c.example"]);
  assertEquals(patched.fallback, { provider: "vendor_b", model: "demo" });
  assertEquals([patched.version, patched.name], [2, "Helper"]);
});

Deno.test("AgentService: null clears the fallback, a new one replaces it entirely", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const { id } = await agents.create(OURS, rawAgentBody());
  const patch = (fallback: unknown) => agents.patch(OURS, id, { patch: { fallback } });
  const set = await patch({ provider: "vendor_b", model: "demo" });
  assertEquals(set.fallback, { provider: "vendor_b", model: "demo" });
  assertEquals(await issues(() => patch({ provider: "vendor_c" })), ["fallback.model"]);
  const cleared = await patch(null);
  assertEquals(["fallback" in cleared, cleared.version], [false, 3]);
  assertEquals((await patch(null)).version, 3);
});

Deno.test("AgentService: an empty patch and one without changes keep the version", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const made = await agents.create(OURS, rawAgentBody({ allowedDomains: ["a.example"] }));
  for (const patch of [{}, { name: "Helper" }, { allowedDomains: ["A.Example"] }, { budget: {} }]) {
    assertEquals(await agents.patch(OURS, made.id, { patch }), made);
  }
});

Deno.test("AgentService: a patch that disallows a tool's host changes nothing", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const body = rawAgentBody({ tools: [httpTool()], allowedDomains: ["tools.example.com"] });
  const made = await agents.create(OURS, body);
  const strand = () => agents.patch(OURS, made.id, { patch: { allowedDomains: [] } });
  assertEquals(await issues(strand), ["tools.0.request.url"]);
  assertEquals(await agents.get(OURS, made.id), made);
});

Deno.test("AgentService: concurrent patches of different fields all apply", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const { id } = await agents.create(OURS, rawAgentBody());
  const patches = [{ name: "New" }, { systemPrompt: "New" }, { budget: { maxSteps: 1 } }, {
    budget: { maxCostUsd: 2 },
  }];
  await Promise.all(patches.map((patch) => agents.patch(OURS, id, { patch })));
  const agent = await agents.get(OURS, id);
  assertEquals([agent.name, agent.systemPrompt, agent.version], ["New", "New", 5]);
  assertEquals(agent.budget, { maxCostUsd: 2, maxSteps: 1, wallClockMs: 30_000 });
});

Deno.test("AgentService: an outdated version is version_conflict", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const { id } = await agents.create(OURS, rawAgentBody());
  await agents.patch(OURS, id, { patch: { name: "Two" }, ifMatch: [1] });
  const late = () => agents.patch(OURS, id, { patch: { name: "Three" }, ifMatch: [1] });
  assertEquals(await codeOf(late), "version_conflict");
  assertEquals(await codeOf(() => agents.delete(OURS, id, { ifMatch: [1] })), "version_conflict");
  await agents.delete(OURS, id, { ifMatch: [2] });
});

Deno.test("AgentService: another tenant's agent is not_found for every method", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const { id } = await agents.create(OURS, rawAgentBody());
  const calls = [
    () => agents.get(THEIRS, id),
    () => agents.getVersion(THEIRS, id, 1),
    () => agents.listVersions(THEIRS, id, { limit: 1 }),
    () => agents.patch(THEIRS, id, { patch: { name: "Stolen" } }),
    () => agents.delete(THEIRS, id),
  ];
  for (const call of calls) assertEquals(await codeOf(call), "not_found");
});

Deno.test("AgentService: a cursor is valid only for its own tenant's list and cannot be altered", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  for (const tenant of [OURS, OURS, THEIRS, THEIRS]) await agents.create(tenant, rawAgentBody());
  const { data, nextCursor: cursor } = await agents.list(OURS, { limit: 1 });
  const rest = await agents.list(OURS, { limit: 1, cursor });
  assertEquals([rest.data.length, rest.data[0]?.id === data[0]?.id], [1, false]);
  assertEquals(await issues(() => agents.list(THEIRS, { limit: 1, cursor })), ["cursor"]);
  for (const altered of [`${cursor}A`, cursor!.slice(1), "x", cursor!.slice(0, 43)]) {
    assertEquals(await issues(() => agents.list(OURS, { limit: 1, cursor: altered })), ["cursor"]);
  }
});

Deno.test("AgentService: a tool with an invalid schema is reported with its path", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const allowedDomains = ["tools.example.com"];
  const create = (tool: Record<string, unknown>) =>
    agents.create(OURS, rawAgentBody({ tools: [httpTool(), tool], allowedDomains }));
  const schema = { type: "object", properties: { day: { type: "dte" } } };
  const pattern = { type: "object", properties: { a: { pattern: "(?=x)y" } } };
  const name = "second";
  assertEquals(await issues(() => create(httpTool({ name, parameters: schema }))), [
    "tools.1.parameters.properties.day.type",
  ]);
  assertEquals(await issues(() => create(httpTool({ name, parameters: pattern }))), [
    "tools.1.parameters.properties.a.pattern",
  ]);
  const headers = { Host: "evil.example", "Proxy-Authorization": "x", "X-Own": "fine" };
  assertEquals(await issues(() => create(httpTool({ name }, { headers }))), [
    "tools.1.request.headers.Host",
    "tools.1.request.headers.Proxy-Authorization",
  ]);
  const made = await agents.create(OURS, rawAgentBody({ tools: [httpTool()], allowedDomains }));
  const patch = { tools: [httpTool({ parameters: schema })] };
  assertEquals(await issues(() => agents.patch(OURS, made.id, { patch })), [
    "tools.0.parameters.properties.day.type",
  ]);
});

Deno.test("AgentService: restore stores an earlier version again, if it is still valid and nothing changed meanwhile", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const tools = [httpTool()];
  const { id } = await agents.create(
    OURS,
    rawAgentBody({ tools, allowedDomains: ["tools.example.com"] }),
  );
  await agents.patch(OURS, id, { patch: { name: "Two", tools: [] } });
  const stale = () => agents.restore(OURS, id, { version: 1, ifMatch: [1] });
  assertEquals(await codeOf(stale), "version_conflict");
  const restored = await agents.restore(OURS, id, { version: 1, ifMatch: [2] });
  assertEquals([restored.version, restored.name, restored.tools.length], [3, "Helper", 1]);
  assertEquals(await codeOf(() => agents.restore(OURS, id, { version: 9 })), "not_found");
  await kv.set(keys.plan(OURS), { v: 1, models: [] });
  const gone = () => agents.restore(OURS, id, { version: 2 });
  assertEquals(await issues(gone), ["modelPolicy.model"]);
});

Deno.test("AgentService: preview and check reject what a change would, and store nothing", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const made = await agents.create(OURS, rawAgentBody());
  const preview = await agents.preview(OURS, made.id, { name: "Draft" });
  assertEquals(preview, { ...made, name: "Draft" });
  const knowledgeBaseId = fakeUuid(7);
  assertEquals(await issues(() => agents.preview(OURS, made.id, { knowledgeBaseId })), [
    "knowledgeBaseId",
  ]);
  assertEquals(await issues(() => agents.check(OURS, rawAgentBody({ name: "" }))), ["name"]);
  await agents.check(OURS, rawAgentBody());
  assertEquals((await agents.list(OURS, { limit: 10 })).data, [made]);
});

Deno.test("AgentService: search also finds an agent by id, only in its own tenant", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const made = await agents.create(OURS, rawAgentBody());
  const find = (tenant: string) => agents.search(tenant, { query: ` ${made.id} `, limit: 5 });
  assertEquals((await find(OURS)).data, [made]);
  assertEquals((await find(THEIRS)).data, []);
});

Deno.test("AgentService: a tool stored before a rule existed stays valid and does not block other changes", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents, runtime } = openAgentServices(kv);
  const csv = { method: "POST", headers: { "content-type": "text/csv" }, body: "a,{{q}}" };
  const allowedDomains = ["tools.example.com"];
  const body = rawAgentBody({ tools: [httpTool({}, csv)], allowedDomains });
  assertEquals(await issues(() => agents.create(OURS, body)), ["tools.0.request.body"]);
  const { id, tools } = await new AgentStore(kv, runtime).create(OURS, agentBodyOf(body));
  assertEquals((await agents.get(OURS, id)).tools, tools);
  const patched = await agents.patch(OURS, id, { patch: { ...body, name: "Renamed" } });
  assertEquals([patched.name, patched.tools], ["Renamed", tools]);
  const changed = { tools: [httpTool({ timeoutMs: 500 }, csv)] };
  const change = () => agents.patch(OURS, id, { patch: changed });
  assertEquals(await issues(change), ["tools.0.request.body"]);
  assertEquals((await agents.restore(OURS, id, { version: 1 })).name, "Helper");
});
