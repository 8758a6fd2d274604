/** Visitor limits: what they restrict per session and per IP address, and how they are set. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DEFAULT_LIMITS } from "@/lib/billing/limits.ts";
import { INSTALLATION } from "@/lib/store/audit/audit_record.ts";
import { Dashboard, SETUP_TOKEN, visitors } from "./support/dashboard.ts";
import { expectError } from "./support/expect_response.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { agentBody, TestService } from "./support/service.ts";
import { ProviderService } from "./support/provider_service.ts";
import { onPage, ORIGIN } from "./support/widget_calls.ts";

const SUGGESTED = { sessionStreams: 2, sessionCost: 250_000, ipDailyCost: 1_000_000 };
const LIMITS = { ...DEFAULT_LIMITS, ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6 };

/** A service whose model answers with `otherwise`, its operator, and an agent for a page. */
async function start(otherwise: () => Script) {
  const mock = await MockProviders.start({ otherwise });
  const on = await ProviderService.start(mock, { env: { SETUP_TOKEN }, limits: LIMITS });
  const operator = await Dashboard.setUp(on.service);
  const agent = await on.agent("vendor_a", { allowedOrigins: [ORIGIN] });
  const tenant = await on.service.tenant();
  const mint = () => on.service.mint(on.key, agent.id, ORIGIN);
  const setLimits = () => operator.post(`/operator/tenants/${tenant}/visitor-limits`);
  const dispose = async () => {
    await on[Symbol.asyncDispose]();
    await mock[Symbol.asyncDispose]();
  };
  return { on, operator, agent, tenant, mint, setLimits, [Symbol.asyncDispose]: dispose };
}

async function statusOf(answer: Response): Promise<number> {
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("session_streams: one token can open all streams of its tenant by default, and exactly 2 once limits are set; the key still chats", async () => {
  let gate = Promise.withResolvers<void>();
  await using fixture = await start(() => ({ say: [{ text: "Hi" }, { wait: gate.promise }] }));
  const { on, agent, mint, setLimits } = fixture;
  const flood = async () => {
    const sessionToken = await mint();
    const calls = Array.from({ length: 20 }, () => onPage(on.service, { agent, sessionToken }));
    const answers = await Promise.all(calls);
    const rejected = answers.filter(({ status }) => status === 429);
    const scopes = await Promise.all(
      rejected.map(async (answer) => (await answer.json()).details.scope),
    );
    return { open: answers.filter(({ status }) => status === 200), scopes: new Set(scopes) };
  };
  const end = async (open: Response[]) => {
    gate.resolve();
    await Promise.all(open.map((answer) => answer.text()));
    gate = Promise.withResolvers();
  };
  const before = await flood();
  assertEquals([before.open.length, [...before.scopes]], [10, ["tenant_streams"]]);
  await expectError(await on.send(agent), "rate_limit_exceeded");
  await end(before.open);

  assertEquals(await statusOf(await setLimits()), 303);
  const after = await flood();
  assertEquals([after.open.length, [...after.scopes]], [2, ["session_streams"]]);
  const own = await on.send(agent);
  assertEquals(own.status, 200);
  await end([...after.open, own]);
});

Deno.test("ip_daily_cost: visitors from one address share 1 USD a day, and the key can spend the rest", async () => {
  await using fixture = await start(() => ({
    say: [{ text: "Hi" }],
    usage: { input: 10, output: 4_000 },
  }));
  const { on, agent, mint, setLimits } = fixture;
  await statusOf(await setLimits());
  let rejected: Response | undefined;
  for (let n = 0; n < 40 && rejected === undefined; n++) {
    // Every visitor has a session of their own.
    const answer = await onPage(on.service, { agent, sessionToken: await mint() });
    if (answer.status === 200) await answer.text();
    else rejected = answer;
  }
  assert(rejected !== undefined);
  const { details } = await expectError(rejected, "rate_limit_exceeded");
  assertEquals([details?.scope, details?.limit], ["ip_daily_cost", 1]);
  const usage = await on.service.fetch("/v1/usage", { key: on.key });
  const { costUsd } = await usage.json();
  assert(costUsd <= 1 && costUsd > 0.9, `the address spent ${costUsd}`);
  const own = await on.send(agent);
  assertEquals(own.status, 200);
  await own.text();
});

Deno.test("/home: the operator sets the limits with one click, which is audited and can be undone on the plan page", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const operator = await Dashboard.setUp(service);
  const tenant = await service.tenant();
  const { tenants, audit } = service.service;
  await tenants.changePlan(tenant, (plan) => ({ ...plan, limits: { sessionCost: 100_000 } }));
  const allowedOrigins = ["https://shop.example.com"];
  await service.service.agents.create(tenant, { ...agentBody(), allowedOrigins });
  const path = `/operator/tenants/${tenant}/visitor-limits`;
  const home = await (await operator.get("/home")).text();
  assertStringIncludes(home, `action="${path}"`);
  const set = await operator.post(path);
  assertEquals(set.headers.get("location"), "/home?notice=visitor_limits_set");
  assertEquals((await tenants.plan(tenant)).limits, { ...SUGGESTED, sessionCost: 100_000 });
  for (const log of [tenant, INSTALLATION]) {
    const { data } = await audit.list(log, { limit: 1, kind: "plan" });
    assertEquals([data[0]?.actor.kind, data[0]?.action], ["user", "change"]);
  }
  const after = await (await operator.get("/home?notice=visitor_limits_set")).text();
  assert(!after.includes(path));
  assertStringIncludes(after, "Limits for one visitor set.");
  // A second click, in another tab, changes nothing and leaves no entry.
  assertEquals(await statusOf(await operator.post(path)), 303);
  assertEquals((await audit.list(tenant, { limit: 9, kind: "plan" })).data.length, 2);
  const plan = await (await operator.get(`/operator/tenants/${tenant}`)).text();
  assertMatch(plan, /name="sessionStreams"[^>]*value="2"/);
  const form = { models: "all", visitorOverrides: "none", conversationDays: "30" };
  await statusOf(await operator.post(`/operator/tenants/${tenant}`, form));
  assertEquals((await tenants.plan(tenant)).limits, {});
  assertStringIncludes(await (await operator.get("/home")).text(), path);
  const unknown = `/operator/tenants/${crypto.randomUUID()}/visitor-limits`;
  assertEquals(await statusOf(await operator.post(unknown)), 404);
});

Deno.test("/home: after the first chat the limits need attention until they are set or dismissed", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const all = await visitors(service);
  const operator = all.get("operator")!;
  const key = await service.key();
  const agent = await service.agent(key);
  const json = { agentId: agent.id, messages: [{ role: "user", content: "Hello" }] };
  await (await service.fetch("/v1/chat/stream", { method: "POST", key, json })).text();
  const home = async (who: "operator" | "owner" | "viewer") =>
    await (await all.get(who)!.get("/home")).text();
  const offer = "One visitor can use up your daily budget.";
  const seen = await home("operator");
  assertStringIncludes(seen, offer);
  assert(!seen.includes("All systems normal"));
  // Users who cannot change the plan see whom to ask.
  for (const who of ["owner", "viewer"] as const) {
    const html = await home(who);
    assertStringIncludes(html, "Ask an operator to set them: operator@example.com");
    assert(!html.includes("/visitor-limits"));
    assertEquals(html.includes('action="/home/dismiss"'), who === "owner");
  }
  const dismissal = { advice: "visitor_limits" };
  assertEquals(await statusOf(await all.get("viewer")!.post("/home/dismiss", dismissal)), 403);
  for (const advice of ["", "everything", "__proto__"]) {
    assertEquals(await statusOf(await operator.post("/home/dismiss", { advice })), 303);
  }
  assertStringIncludes(await home("operator"), offer);
  const dismissed = await all.get("owner")!.post("/home/dismiss", dismissal);
  assertEquals(dismissed.headers.get("location"), "/home?notice=advice_dismissed");
  assert(!(await home("operator")).includes(offer));
  const tenant = await service.tenant();
  const { data } = await service.service.audit.list(tenant, { limit: 1, kind: "advice" });
  const [entry] = data;
  assertEquals([entry?.action, entry?.target.name], ["dismiss", "limits for one visitor"]);
  assertEquals((await service.service.tenants.plan(tenant)).limits, {});
});

Deno.test("/home: a tenant whose operator belongs to another tenant is asked to contact the operator, without an e-mail address", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  await Dashboard.setUp(service);
  const { id: tenant } = await service.service.tenants.create("Elsewhere");
  const owner = await Dashboard.join(service, "owner", { tenant });
  const home = await (await owner.get("/home")).text();
  assertStringIncludes(home, "Ask the operator of this installation");
  assert(!home.includes("operator@example.com"));
});

Deno.test("/operator/tenants/new: suggests visitor limits, which can be changed or removed", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const operator = await Dashboard.setUp(service);
  const { tenants } = service.service;
  const form = await (await operator.get("/operator/tenants/new")).text();
  for (const [name, value] of [["sessionStreams", 2], ["sessionCost", 0.25], ["ipDailyCost", 1]]) {
    assertMatch(form, new RegExp(`name="${name}"[^>]*value="${value}"`));
  }
  const create = (change: Record<string, string>) =>
    operator.post("/operator/tenants/new", { name: "Florist", email: "f@example.com", ...change });
  const limitsOf = async () => (await tenants.plan((await tenants.list()).at(-1)!.id)).limits;
  const suggested = { sessionStreams: "2", sessionCost: "0.25", ipDailyCost: "1" };
  assertEquals(await statusOf(await create(suggested)), 201);
  assertEquals(await limitsOf(), SUGGESTED);
  assertEquals(
    await statusOf(await create({ ...suggested, sessionStreams: "", ipDailyCost: "3" })),
    201,
  );
  assertEquals(await limitsOf(), { sessionCost: 250_000, ipDailyCost: 3_000_000 });
  const before = (await tenants.list()).length;
  const rejected = await create({ ...suggested, sessionStreams: "many" });
  assertEquals(rejected.status, 400);
  const html = await rejected.text();
  for (const typed of ["many", "0.25", "Florist", "f@example.com"]) {
    assertStringIncludes(html, `value="${typed}"`);
  }
  assertEquals((await tenants.list()).length, before);
});
