/** What a provider caches and thinks, from its response to the bill: frames, records, usage, transcripts. */
import { assert, assertEquals } from "@std/assert";
import { readFrames, textOf } from "./support/frames.ts";
import { catalogueEntry } from "./support/chat.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { ProviderService } from "./support/provider_service.ts";
import { onPage, ORIGIN } from "./support/widget_calls.ts";

const SONNET = catalogueEntry({
  vendor: "vendor_b",
  cacheReadUsdPerMTok: 0.3,
  cacheWriteUsdPerMTok: 3.75,
});
const LONG = "You know everything about the shop and its opening hours. ".repeat(100);
const THOUGHT = "They ask about the shop.";

async function start(mock: MockProviders, ...scripts: Script[]) {
  mock.next(...scripts);
  return await ProviderService.start(mock, { catalogue: [SONNET] });
}

async function json(on: ProviderService, path: string, key = on.key) {
  return await (await on.service.fetch(path, { key })).json();
}

function conversationPath(frames: Awaited<ReturnType<typeof readFrames>>): string {
  const frame = frames[0]?.frame;
  assert(frame?.type === "start");
  return `/v1/conversations/${frame.conversationId}`;
}

Deno.test("a run is charged by bucket, and usage shows what caching saved", async () => {
  await using mock = await MockProviders.start();
  await using on = await start(
    mock,
    { usage: { input: 20, output: 100, written: 2_000 } },
    { usage: { input: 30, output: 100, cached: 2_000, written: 40 } },
  );
  const agent = await on.agent("vendor_b", { systemPrompt: LONG });
  const usages = [];
  for (let n = 0; n < 2; n++) {
    const frames = await readFrames(await on.send(agent));
    usages.push(frames.map(({ frame }) => frame).find(({ type }) => type === "usage"));
  }
  assertEquals(usages, [
    // 20 × 3 + 2,000 × 3.75 + 100 × 15
    { type: "usage", inputTokens: 2_020, outputTokens: 100, costUsd: 0.00906 },
    // 30 × 3 + 2,000 × 0.3 + 40 × 3.75 + 100 × 15
    { type: "usage", inputTokens: 2_070, outputTokens: 100, costUsd: 0.00234 },
  ]);
  const records = (await on.records()).sort((a, b) => b.cost - a.cost);
  assertEquals(
    records.map((
      { cachedInputTokens, cacheWriteTokens, cacheSavings },
    ) => [cachedInputTokens, cacheWriteTokens, cacheSavings]),
    // At the input price: 7,560 - 9,060 and 7,710 - 2,340.
    [[undefined, 2_000, -1_500], [2_000, 40, 5_370]],
  );
  const report = await json(on, "/v1/usage");
  const { costUsd, cachedInputTokens, cacheWriteTokens, cacheSavedUsd } = report;
  assertEquals(
    { costUsd, cachedInputTokens, cacheWriteTokens, cacheSavedUsd },
    { costUsd: 0.0114, cachedInputTokens: 2_000, cacheWriteTokens: 2_040, cacheSavedUsd: 0.00387 },
  );
  assertEquals(report.byModel[0].cacheSavedUsd, 0.00387);
});

Deno.test("a run reserves the price of writing to a cache: its budget is never exceeded", async () => {
  await using mock = await MockProviders.start();
  // As much as the first step may read, all of it written, and all of the output.
  await using on = await start(mock);
  const agent = await on.agent("vendor_b", {
    systemPrompt: LONG,
    budget: { maxCostUsd: 0.05, maxSteps: 4, wallClockMs: 30_000 },
  });
  await readFrames(await on.send(agent));
  const { max_tokens: granted, messages: [{ content: [{ text }] }] } = mock.requests[0]!.body;
  // No token is shorter than a byte of the prompt, its tools and its messages.
  const bytes = LONG.length + "[]".length +
    JSON.stringify([{ role: "user", content: text }]).length;
  mock.next({ usage: { input: 0, written: bytes, output: granted } });
  const frames = await readFrames(await on.send(agent));
  const usage = frames.map(({ frame }) => frame).find(({ type }) => type === "usage");
  assert(usage?.type === "usage");
  assertEquals(usage.costUsd, (Math.ceil(bytes * 3.75) + granted * 15) / 1e6);
  assert(usage.costUsd <= 0.05, `${usage.costUsd}`);
  const [record] = (await on.records()).sort((a, b) => b.cost - a.cost);
  assertEquals(record?.excess, 0);
});

Deno.test("what a model thought is in the transcript of its owner, and in no frame", async () => {
  await using mock = await MockProviders.start();
  await using on = await start(mock, { say: [{ thought: THOUGHT }, { text: "At nine." }] });
  const agent = await on.agent("vendor_b");
  const frames = await readFrames(await on.send(agent));
  assertEquals(textOf(frames), "At nine.");
  assert(!JSON.stringify(frames).includes(THOUGHT));
  const path = conversationPath(frames);
  const key = await on.service.key(["conversations:read", "conversations:write"]);
  const transcript = await json(on, path, key);
  assertEquals(transcript.runs[0].reasoning, THOUGHT);
  await on.service.fetch(path, { method: "DELETE", key });
  assertEquals((await on.service.fetch(path, { key })).status, 404);
});

Deno.test("an agent that keeps nothing keeps nothing of what its model thought", async () => {
  await using mock = await MockProviders.start();
  await using on = await start(mock, { say: [{ thought: THOUGHT }, { text: "At nine." }] });
  const agent = await on.agent("vendor_b", { retentionDays: 0 });
  const path = conversationPath(await readFrames(await on.send(agent)));
  const key = await on.service.key(["conversations:read"]);
  assertEquals((await on.service.fetch(path, { key })).status, 404);
});

Deno.test("hostile counts of a cache never make a run free, negative or endless", async () => {
  for (const [cached, written] of [[9e15, 0], [-5, -5], [1e9, 1e9], [0.5, 3.5], [NaN, Infinity]]) {
    await using mock = await MockProviders.start();
    const usage = { input: 1_000, output: 10, cached: cached!, written: written! };
    await using on = await start(mock, { usage });
    const agent = await on.agent("vendor_b");
    const frames = await readFrames(await on.send(agent));
    const counted = frames.map(({ frame }) => frame).find(({ type }) => type === "usage");
    assert(counted?.type === "usage");
    const { costUsd } = counted;
    // At least the output and the bytes that were sent, at most the agent's whole budget.
    assert(costUsd > 0.00015 && costUsd <= 1, `${cached}, ${written}: ${costUsd}`);
  }
});

Deno.test("a visitor's page reads its conversation, stream and log without what the model thought", async () => {
  await using mock = await MockProviders.start();
  await using on = await start(mock, { say: [{ thought: THOUGHT }, { text: "At nine." }] });
  const agent = await on.agent("vendor_b", { allowedOrigins: [ORIGIN] });
  const minted = await on.service.fetch("/v1/widget/session", {
    method: "POST",
    key: on.key,
    json: { agentId: agent.id, visitor: { id: "ada" } },
    headers: { origin: ORIGIN },
  });
  const { sessionToken } = await minted.json();
  const answer = await onPage(on.service, { agent, sessionToken });
  const runId = answer.headers.get("x-run-id");
  const frames = await readFrames(answer);
  const headers = { origin: ORIGIN, "x-service-session": sessionToken };
  const id = conversationPath(frames).split("/").at(-1);
  for (
    const path of [
      `/v1/chat/conversations/${id}`,
      "/v1/chat/conversations",
      `/v1/chat/runs/${runId}/stream`,
      "/v1/chat/limits",
    ]
  ) {
    const response = await on.service.fetch(path, { headers });
    const text = await response.text();
    assert(response.status === 200, `${path}: ${response.status} ${text}`);
    assert(!text.includes(THOUGHT), path);
  }
  const [own] = (await on.service.fetch(`/v1/chat/conversations/${id}`, { headers })
    .then((response) => response.json())).messages.slice(-1);
  assertEquals(own.content, "At nine.");
});
