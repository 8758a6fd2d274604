/** Budgets and accounts hold at random prices by bucket, whatever providers cache and think. */
import { assert, assertEquals } from "@std/assert";
import type { CatalogueEntry } from "@/lib/store/providers/catalogue_store.ts";
import { PROVIDER_IDS } from "@/lib/schemas/provider_id.ts";
import { catalogueEntry } from "./support/chat.ts";
import { readFrames } from "./support/frames.ts";
import { SeededRandom } from "./support/fuzz/seeded_random.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { MockProviders, type MockRequest } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { planAnswer } from "./support/random_provider_answers.ts";
import { ProviderService } from "./support/provider_service.ts";
import { say } from "./support/widget_calls.ts";

const RUNS = 24;
const AT_ONCE = 6;

function randomCatalogue(dice: SeededRandom): CatalogueEntry[] {
  const price = () => dice.pick([0, 0.03, 0.3, 1.25, 3.75, 6, 15, dice.number(0, 100)]);
  const sometimes = (name: keyof CatalogueEntry) => dice.chance(0.7) ? { [name]: price() } : {};
  return PROVIDER_IDS.map((vendor) =>
    catalogueEntry({
      ...{ vendor, inputUsdPerMTok: price(), outputUsdPerMTok: price() },
      ...sometimes("cacheReadUsdPerMTok"),
      ...sometimes("cacheWriteUsdPerMTok"),
      ...sometimes("cacheWrite1hUsdPerMTok"),
      ...sometimes("reasoningUsdPerMTok"),
    })
  );
}

/** A planned answer whose counts are within bounds, with random parts that are cached or thought. */
function withParts(script: Script, { protocol }: MockRequest, dice: SeededRandom): Script {
  const { usage } = script;
  if (usage === undefined || usage === "absent") return script;
  const [total, output] = [Number(usage.input), Number(usage.output)];
  const cached = dice.int(0, total);
  const written = dice.int(0, total - cached);
  const reasoning = dice.int(0, output);
  return protocol === "anthropic"
    ? { ...script, usage: { input: total - cached - written, output, cached, written } }
    : { ...script, usage: { input: total, output, cached, reasoning } };
}

function isHonest({ usage }: Script): boolean {
  return typeof usage === "object" && Number.isInteger(usage.input) && Number(usage.input) >= 0 &&
    Number.isInteger(usage.output) && Number(usage.output) >= 0;
}

for (let seed = 1; seed <= 6; seed++) {
  Deno.test(`no step costs more than was reserved, whatever is cached (seed ${seed})`, async () => {
    const dice = new SeededRandom(seed * 31);
    const strange = new Set<number>();
    await using mock = await MockProviders.start({
      otherwise: (request) => {
        const { script, run, inflated } = planAnswer(seed, request);
        if (inflated) strange.add(run);
        const own = new SeededRandom(seed * 977 + run * 13);
        return isHonest(script) && !inflated ? withParts(script, request, own) : script;
      },
    });
    const catalogue = randomCatalogue(dice);
    const limits = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6 };
    const { runtime } = new ManualClock(Date.UTC(2026, 0, 15, 12));
    await using on = await ProviderService.start(mock, {
      catalogue,
      limits: { ...limits, hardDailyCost: 1e12 },
      runtime,
    });
    const budgets = new Map<string, { n: number; maxCost: number }>();
    const runOne = async (n: number) => {
      const maxCostUsd = dice.pick([0.0005, dice.number(0, 0.02), dice.number(0, 1), 50]);
      const agent = await on.agent(dice.pick(PROVIDER_IDS), {
        systemPrompt: "Be helpful. ".repeat(dice.int(1, 500)),
        budget: { maxCostUsd, maxSteps: dice.int(1, 5), wallClockMs: 30_000 },
      });
      const answer = await on.send(agent, { messages: [say(`run number ${n}`)] });
      const runId = answer.headers.get("x-run-id");
      if (answer.status !== 200 || runId === null) return await answer.body?.cancel();
      await readFrames(answer);
      budgets.set(runId, { n, maxCost: Math.floor(maxCostUsd * 1e6 + 1e-6) });
    };
    for (let n = 0; n < RUNS; n += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => runOne(n + at)));
    }
    const records = await on.records();
    assert(records.some(({ cachedInputTokens = 0 }) => cachedInputTokens > 0));
    for (const { runId, cost, excess } of records) {
      const { n, maxCost } = budgets.get(runId) ?? { n: -1, maxCost: Infinity };
      assert(cost <= maxCost);
      if (!strange.has(n)) assertEquals(excess, 0, `run ${n} of seed ${seed}`);
    }
    const report = await (await on.service.fetch("/v1/usage", { key: on.key })).json();
    const sum = (field: "cost" | "cachedInputTokens" | "cacheWriteTokens" | "cacheSavings") =>
      records.reduce((total, record) => total + (record[field] ?? 0), 0);
    assertEquals(Math.round(report.costUsd * 1e6), sum("cost"));
    assertEquals(report.cachedInputTokens ?? 0, sum("cachedInputTokens"));
    assertEquals(report.cacheWriteTokens ?? 0, sum("cacheWriteTokens"));
    assertEquals(Math.round((report.cacheSavedUsd ?? 0) * 1e6), sum("cacheSavings"));
  });
}
