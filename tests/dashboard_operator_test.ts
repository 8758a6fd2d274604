/** Operator settings (provider slots, plans, the catalogue, tenants) and when they take effect. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { INSTALLATION } from "@/lib/store/audit/audit_record.ts";
import { catalogueEntry } from "./support/chat.ts";
import { Dashboard, PASSWORD, requireText, SETUP_TOKEN } from "./support/dashboard.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { TestService } from "./support/service.ts";
import { storedText } from "./support/store.ts";
import { byKey } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

const CONNECT = "/operator/providers/connect/other";
const CREDENTIAL = "sk-a-credential-to-keep-quiet";

/** Two processes on one store, an operator signed in to the first, and a key for both. */
async function start({ fixed = false } = {}) {
  const kv = await openTestKv();
  const mock = await MockProviders.start();
  const slotA = { VENDOR_A_API_KEY: "from-the-environment", VENDOR_A_BASE_URL: mock.url };
  const env = { SETUP_TOKEN, DEMO: "off", ...fixed ? slotA : {} };
  const options = { ...instantRuntime(), kv, keepKv: true, env };
  const here = await TestService.start(options);
  const there = await TestService.start(options);
  const operator = await Dashboard.setUp(here);
  await here.service.catalogue.set(catalogueEntry(), here.service.runtime);
  const key = await here.key(["agents:write"]);
  const agent = await here.agent(key, { modelPolicy: { provider: "vendor_a", model: "mid" } });
  const ask = (service: TestService) => byKey(service, { key, body: { agentId: agent.id } });
  const slot = (change: Record<string, string> = {}) => ({
    baseUrl: mock.url,
    apiKey: CREDENTIAL,
    name: "Ours",
    ...change,
  });
  const dispose = async () => {
    await here[Symbol.asyncDispose]();
    await there[Symbol.asyncDispose]();
    await mock[Symbol.asyncDispose]();
    kv.close();
  };
  return { kv, mock, here, there, operator, key, ask, slot, [Symbol.asyncDispose]: dispose };
}

async function statusOf(answer: Response): Promise<number> {
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("a provider slot saved in the dashboard serves the next run in every process, as does each change", async () => {
  await using on = await start();
  assertEquals(await statusOf(await on.ask(on.there)), 502);
  const saved = await on.operator.post(CONNECT, on.slot());
  assertEquals(saved.headers.get("location"), "/operator/providers/vendor_a/models");
  for (const service of [on.there, on.here]) {
    const frames = await readFrames(await on.ask(service));
    assertEquals(frames.at(-1)?.frame, { type: "done", finishReason: "stop" });
    assert(textOf(frames).length > 0);
  }
  assertEquals(on.mock.requests.length, 2);
  const sent = on.mock.requests.map(({ headers }) => JSON.stringify(headers));
  assert(sent.every((headers) => headers.includes(CREDENTIAL)));

  const renewed = on.slot({ apiKey: "sk-another-one" });
  await statusOf(await on.operator.post("/operator/providers/vendor_a", renewed));
  await readFrames(await on.ask(on.there));
  assertStringIncludes(JSON.stringify(on.mock.requests.at(-1)!.headers), "sk-another-one");

  await statusOf(await on.operator.post("/operator/providers/vendor_a/delete"));
  assertEquals(await statusOf(await on.ask(on.there)), 502);
  assertEquals(await statusOf(await on.ask(on.here)), 502);
});

Deno.test("a provider credential appears in no page, log or audit entry, and is stored encrypted", async () => {
  await using on = await start();
  await statusOf(await on.operator.post(CONNECT, on.slot()));
  const rejected = { apiKey: `${CREDENTIAL}-2`, baseUrl: "nonsense" };
  const invalid = await on.operator.post("/operator/providers/vendor_a", on.slot(rejected));
  const pages = await Promise.all([
    invalid.text(),
    ...["/operator/providers", "/operator/providers/vendor_a", "/operator/status", "/settings"]
      .map(async (path) => await (await on.operator.get(path)).text()),
  ]);
  for (const text of [...pages, await storedText(on.kv), ...on.here.logged]) {
    assert(!text.includes(CREDENTIAL));
  }
  const { data } = await on.here.service.audit.list(INSTALLATION, { limit: 1 });
  assertEquals([data[0]?.kind, data[0]?.action, data[0]?.target.id], [
    "slot",
    "create",
    "vendor_a",
  ]);
});

Deno.test("/operator/providers/:provider: the saved key stays at its address, and a rejected one changes nothing", async () => {
  await using on = await start();
  await statusOf(await on.operator.post(CONNECT, on.slot()));
  const edit = (change: Record<string, string>) =>
    on.operator.post("/operator/providers/vendor_a", on.slot({ apiKey: "", ...change }));
  const saved = async () => (await on.here.service.connections.unsealAll()).connections.vendor_a!;

  const renamed = await edit({ name: "Renamed" });
  assertEquals(renamed.headers.get("location"), "/operator/providers?notice=slot_saved");
  assertEquals([(await saved()).name, (await saved()).apiKey], ["Renamed", CREDENTIAL]);

  await using elsewhere = await MockProviders.start();
  const moved = await edit({ baseUrl: elsewhere.url });
  assertEquals(moved.status, 400);
  assertStringIncludes(await moved.text(), `The saved key is only for ${on.mock.url}.`);
  assertEquals(elsewhere.requests, []);

  await using rejecting = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => Response.json({ error: { message: "No such key." } }, { status: 401 }),
  );
  const baseUrl = `http://127.0.0.1:${rejecting.addr.port}`;
  const wrong = await edit({ baseUrl, apiKey: "sk-wrong-0123456789" });
  assertEquals(wrong.status, 422);
  assertStringIncludes(await wrong.text(), "The provider says: No such key.");
  assertEquals((await saved()).baseUrl, on.mock.url);
});

Deno.test("a slot configured by the environment is shown and cannot be changed", async () => {
  await using on = await start({ fixed: true });
  const html = await (await on.operator.get("/operator/providers")).text();
  assertStringIncludes(html, "Set by environment");
  assert(!html.includes("from-the-environment"));
  for (const path of ["/operator/providers/vendor_a", "/operator/providers/vendor_a/delete"]) {
    assertEquals(await statusOf(await on.operator.get(path)), 404);
    assertEquals(await statusOf(await on.operator.post(path, on.slot())), 404);
  }
  // A slot stored earlier has no effect either.
  const config = { protocol: "openai", baseUrl: on.mock.url, apiKey: "stored" } as const;
  await on.here.service.connections.set("vendor_a", config);
  await readFrames(await on.ask(on.there));
  assertEquals(on.mock.requests.length, 1);
  const headers = JSON.stringify(on.mock.requests[0]!.headers);
  assertStringIncludes(headers, "from-the-environment");
});

Deno.test("a plan's overrides apply from the next request in every process", async () => {
  await using on = await start();
  const tenant = await on.here.tenant();
  const path = `/operator/tenants/${tenant}`;
  const plan = { visitorOverrides: "none", conversationDays: "7", models: "all" };
  const list = () => on.there.fetch("/v1/agents", { key: on.key });
  assertEquals(await statusOf(await list()), 200);
  const saved = await on.operator.post(path, { ...plan, keyRequests: "1", hardDailyCost: "0.5" });
  assertEquals(saved.headers.get("location"), "/operator/tenants?notice=plan_saved");
  assertEquals(await statusOf(await list()), 429);
  assertEquals((await on.there.service.tenants.plan(tenant)).limits, {
    keyRequests: 1,
    hardDailyCost: 500_000,
  });
  const invalid = { ...plan, keyRequests: "many", softDailyCost: "-1", conversationDays: "400" };
  const rejected = await on.operator.post(path, invalid);
  assertEquals(rejected.status, 400);
  const html = await rejected.text();
  for (const typed of ["many", "-1", "400"]) assertStringIncludes(html, `value="${typed}"`);
  assertEquals((await on.here.service.tenants.plan(tenant)).conversationDays, 7);
});

Deno.test("a plan can list its models: others are rejected, and both audit logs show the change", async () => {
  await using on = await start();
  const tenant = await on.here.tenant();
  const plan = { visitorOverrides: "all", conversationDays: "30", models: "some" };
  const chosen: [string, string][] = [...Object.entries(plan), ["chosen", "vendor_b/demo"]];
  await statusOf(await on.operator.post(`/operator/tenants/${tenant}`, chosen));
  assertEquals(await statusOf(await on.ask(on.there)), 400);
  for (const log of [tenant, INSTALLATION]) {
    const { data } = await on.here.service.audit.list(log, { limit: 1, kind: "plan" });
    assertEquals(data[0]?.changes[0], {
      field: "models",
      before: "all",
      after: JSON.stringify([{ vendor: "vendor_b", model: "demo" }]),
    });
  }
});

Deno.test("a model's catalogue price applies from the next message, and a deleted model is rejected", async () => {
  await using on = await start();
  await statusOf(await on.operator.post(CONNECT, on.slot()));
  const cost = async () => {
    const frames = (await readFrames(await on.ask(on.there))).map(({ frame }) => frame);
    const usage = frames.find((frame) => frame.type === "usage");
    return usage?.type === "usage" ? usage.costUsd : undefined;
  };
  const before = await cost();
  assert(before !== undefined && before > 0);
  const entry = Object.entries(catalogueEntry({ inputUsdPerMTok: 0, outputUsdPerMTok: 0 }));
  const form = entry.map(([name, value]): [string, string] => [name, String(value)]);
  await statusOf(await on.operator.post("/operator/models/model", form));
  assertEquals(await cost(), 0);
  const model = new URLSearchParams({ vendor: "vendor_a", model: "mid" });
  await statusOf(await on.operator.post(`/operator/models/delete?${model}`));
  assertEquals(await statusOf(await on.ask(on.there)), 400);
});

Deno.test("a new tenant's first owner joins by a link and sees nothing of other tenants", async () => {
  await using on = await start();
  const form = { name: "Florist", email: "flo@example.com" };
  const answer = await on.operator.post("/operator/tenants/new", form);
  const link = new URL(await requireText(answer, /http[^<\s"]*token=[\w-]{43}/));
  const flo = new Dashboard(on.there);
  const token = link.searchParams.get("token")!;
  flo.keep(await flo.post("/join", { token, password: PASSWORD }));
  const agents = await (await flo.get("/agents")).text();
  assertStringIncludes(agents, "No agents yet");
  assertEquals(await statusOf(await flo.get("/team/invite")), 200);
  assertEquals(await statusOf(await flo.get("/operator/tenants")), 403);
  const log = await (await flo.get("/audit?log=installation")).text();
  assertStringIncludes(log, "flo@example.com");
  assert(!log.includes("vendor_a/mid"), "catalogue changes are in the installation's log only");
});
