/** Prices by bucket and model settings in the dashboard. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { modelHref } from "@/lib/dashboard/models/model_form.ts";
import { readFrames } from "./support/frames.ts";
import { catalogueEntry } from "./support/chat.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ProviderService } from "./support/provider_service.ts";

const ENTRY = catalogueEntry({
  vendor: "vendor_b",
  cacheReadUsdPerMTok: 0.3,
  cacheWriteUsdPerMTok: 3.75,
  reasoningUsdPerMTok: 20,
  timeoutMs: 90_000,
});
const BLANK = { cacheReadUsdPerMTok: "", cacheWriteUsdPerMTok: "", cacheWrite1hUsdPerMTok: "" };

async function start(mock: MockProviders) {
  const env = { SETUP_TOKEN };
  const on = await ProviderService.start(mock, { catalogue: [ENTRY], env });
  return { on, operator: await Dashboard.setUp(on.service) };
}

function modelForm(change: Record<string, string>): Record<string, string> {
  const values = Object.entries(ENTRY).map(([name, value]) => [name, String(value)]);
  return { ...BLANK, existing: "yes", ...Object.fromEntries(values), ...change };
}

Deno.test("a model's page edits its optional prices and timeout, and blank ones are unset", async () => {
  await using mock = await MockProviders.start();
  const { on, operator } = await start(mock);
  await using _ = on;
  const page = await (await operator.get(modelHref("model", ENTRY))).text();
  for (const value of ["0.3", "3.75", "20", "90000"]) {
    assertStringIncludes(page, `value="${value}"`);
  }
  const { catalogue } = on.service.service;
  const wrong = await operator.post(
    "/operator/models/model",
    modelForm({ cacheReadUsdPerMTok: "-1", timeoutMs: "5" }),
  );
  const issues = await wrong.text();
  assertEquals(wrong.status, 400);
  assertStringIncludes(issues, "Enter a price of 0 or more, or leave it blank.");
  assertStringIncludes(issues, "Enter a whole number from 1,000 to 600,000, or leave it blank.");
  const change = { ...BLANK, reasoningUsdPerMTok: "", timeoutMs: "", cacheReadUsdPerMTok: "0" };
  assertEquals((await operator.post("/operator/models/model", modelForm(change))).status, 303);
  assertEquals(await catalogue.listStored(), [
    catalogueEntry({ vendor: "vendor_b", cacheReadUsdPerMTok: 0 }),
  ]);
});

Deno.test("operators see how many of a connection's keys are in use", async () => {
  await using mock = await MockProviders.start({
    otherwise: ({ headers }) => headers["x-api-key"] === "good" ? {} : { status: 401, body: "{}" },
  });
  const env = { SETUP_TOKEN, VENDOR_B_API_KEY: '[{"key":"bad","weight":100},"good"]' };
  await using on = await ProviderService.start(mock, { catalogue: [ENTRY], env });
  const operator = await Dashboard.setUp(on.service);
  const shown = async () => await (await operator.get("/operator/providers")).text();
  assertStringIncludes(await shown(), "2 of 2");
  // The first message of a conversation that prefers the bad key lets it rest.
  while (mock.requests.every(({ headers }) => headers["x-api-key"] === "good")) {
    await readFrames(await on.ask("vendor_b"));
  }
  assertStringIncludes(await shown(), "1 of 2");
});

Deno.test("an agent's Model page saves its settings, and blank ones are unset", async () => {
  await using mock = await MockProviders.start();
  const { on, operator } = await start(mock);
  await using _ = on;
  const [tenant] = await on.service.service.tenants.list();
  const { agents } = on.service.service;
  const { id } = await agents.create(tenant!.id, {
    ...{ name: "Shop", systemPrompt: "Be brief.", tools: [], allowedDomains: [] },
    modelPolicy: { provider: "vendor_b", model: "mid" },
    budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 30_000 },
  });
  const save = async (fields: Record<string, string>) => {
    const { version } = await agents.get(tenant!.id, id);
    const answer = await operator.post(`/agents/${id}/model`, {
      ...{ version: String(version), model: "vendor_b/mid", fallback: "", attachments: "" },
      ...{ maxCostUsd: "1", maxSteps: "4", wallClockSeconds: "30", maxOutputTokens: "" },
      ...{
        retentionDays: "",
        reasoningEffort: "",
        topP: "",
        stopSequences: "",
        responseSchema: "",
      },
      ...fields,
    });
    return { status: answer.status, text: await answer.text() };
  };
  const schema = { type: "object", properties: { open: { type: "boolean" } } };
  const saved = await save({
    ...{ reasoningEffort: "high", topP: "0.5", stopSequences: "END\r\n\\n\\nYou:" },
    responseSchema: JSON.stringify(schema),
  });
  assertEquals(saved.status, 303, saved.text.slice(0, 500));
  const agent = await agents.get(tenant!.id, id);
  const { reasoningEffort, topP, stopSequences } = agent.modelPolicy;
  assertEquals([reasoningEffort, topP, stopSequences], ["high", 0.5, ["END", "\n\nYou:"]]);
  assertEquals(agent.responseSchema, schema);
  const shown = await (await operator.get(`/agents/${id}/model`)).text();
  assertStringIncludes(shown, "END\n\\n\\nYou:");
  const wrong = await save({ topP: "2", responseSchema: "{" });
  assertStringIncludes(wrong.text, "Enter a number from 0 to 1, or leave it blank.");
  assertEquals((await save({})).status, 303);
  const { modelPolicy, responseSchema } = await agents.get(tenant!.id, id);
  assertEquals(modelPolicy, { provider: "vendor_b", model: "mid" });
  assertEquals(responseSchema, undefined);
});

Deno.test("the usage page shows what caching saved, and a transcript what a model thought", async () => {
  await using mock = await MockProviders.start();
  const { on, operator } = await start(mock);
  await using _ = on;
  const [tenant] = await on.service.service.tenants.list();
  const key = await on.service.key(["agents:write"], tenant!.id);
  const agent = await on.service.agent(key, {
    modelPolicy: { provider: "vendor_b", model: "mid" },
  });
  mock.next({
    say: [{ thought: "They are greeting me." }, { text: "Good day." }],
    usage: { input: 100, output: 20, cached: 10_000 },
  });
  const frames = await readFrames(
    await on.service.fetch("/v1/chat/stream", {
      method: "POST",
      key,
      json: { agentId: agent.id, messages: [{ role: "user", content: "Hello" }] },
    }),
  );
  const first = frames[0]?.frame;
  assert(first?.type === "start");
  const usage = await (await operator.get("/usage")).text();
  assertStringIncludes(usage, "Saved by caching");
  // 10,000 × (3 - 0.3)
  assertStringIncludes(usage, "$0.027");
  const transcript = await (await operator.get(`/conversations/${first.conversationId}`)).text();
  assertStringIncludes(transcript, "They are greeting me.");
  assertStringIncludes(transcript, "Read from cache");
});
