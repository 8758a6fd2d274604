/** Budgets hold for any usage that providers report and any overlap of runs: CONTRACT sections 6 and 8. */
import { assert, assertEquals } from "@std/assert";
import { currentLedger, type Ledger, sumHolds } from "@/lib/billing/ledger.ts";
import type { CatalogueEntry } from "@/lib/store/providers/catalogue_store.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import type { RunRecord } from "@/lib/store/runs/run_record.ts";
import type { UsageRow } from "@/lib/store/runs/usage_rows.ts";
import type { Frame, FrameOf } from "@/lib/schemas/frames.ts";
import { PROVIDER_IDS } from "@/lib/schemas/provider_id.ts";
import { catalogueEntry } from "./support/chat.ts";
import { readFrames } from "./support/frames.ts";
import { SeededRandom } from "./support/fuzz/seeded_random.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { planAnswer } from "./support/random_provider_answers.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ProviderService } from "./support/provider_service.ts";
import { onPage, ORIGIN, say } from "./support/widget_calls.ts";

const TODAY = { now: Date.UTC(2026, 0, 15, 12), period: "2026-01-15" };
const RUNS = 30;
const AT_ONCE = 6;

/** Typical catalogue prices, and some without an exact binary representation. */
function randomCatalogue(dice: SeededRandom): CatalogueEntry[] {
  const price = () => dice.pick([0, 0.075, 0.15, 1.1, 3, 15, 75, dice.number(0, 200)]);
  return PROVIDER_IDS.flatMap((vendor) =>
    ["mid", "other"].map((model) =>
      catalogueEntry({
        vendor,
        model,
        inputUsdPerMTok: price(),
        outputUsdPerMTok: price(),
        maxOutputTokens: dice.int(1, 8_192),
      })
    )
  );
}

function randomAgent(dice: SeededRandom, n: number): Record<string, unknown> {
  const provider = dice.pick(PROVIDER_IDS);
  const maxOutputTokens = dice.chance(0.5) ? {} : { maxOutputTokens: dice.int(1, 4_000) };
  return {
    modelPolicy: { provider, model: dice.pick(["mid", "other"]), ...maxOutputTokens },
    ...(dice.chance(0.3) ? { fallback: { provider: dice.pick(PROVIDER_IDS), model: "mid" } } : {}),
    budget: {
      maxCostUsd: dice.pick([0, 0.0005, dice.number(0, 0.02), dice.number(0, 2), 2, 100]),
      maxSteps: dice.int(1, 8),
      wallClockMs: 30_000,
    },
    allowedOrigins: [ORIGIN],
    ...(dice.chance(0.4) ? { guardrails: randomGuardrails(dice, n) } : {}),
  };
}

/** Classifiers, whose requests count like steps. Random answers are no verdicts. */
function randomGuardrails(dice: SeededRandom, n: number): Record<string, unknown> {
  const side = () => ({
    classifier: {
      ...{
        provider: dice.pick(PROVIDER_IDS),
        model: "other",
        policy: `run number ${n} ${"more ".repeat(dice.int(0, 100))}`,
      },
      ...{ action: "block", failClosed: dice.chance(0.2) },
    },
  });
  return {
    ...(dice.chance(0.6) ? { input: side() } : {}),
    ...(dice.chance(0.6) ? { output: side() } : {}),
  };
}

interface ObservedRun {
  n: number;
  runId: string;
  usage: FrameOf<"usage">;
  frames: Frame[];
  agent: { budget: { maxCostUsd: number; maxSteps: number }; guardrails?: unknown };
}

/** One message to a random agent; undefined if the daily limit is exhausted. */
async function runOne(
  on: ProviderService,
  dice: SeededRandom,
  n: number,
): Promise<ObservedRun | undefined> {
  const agent = await on.service.agent(on.key, randomAgent(dice, n));
  const messages = [say(`run number ${n} ${"more ".repeat(dice.int(0, 100))}`)];
  const sessionToken = dice.chance(0.3) && await on.service.mint(on.key, agent.id, ORIGIN);
  const answer =
    await (sessionToken
      ? onPage(on.service, { agent, sessionToken, body: { messages } })
      : on.send(agent, { messages }));
  if (answer.status !== 200) {
    // A failure before the first delta is a provider error; any other is the daily limit.
    const { code } = await answer.json();
    assert(code === "plan_limit_exceeded" || code === "provider_error", code);
    return undefined;
  }
  const runId = answer.headers.get("x-run-id")!;
  const frames = (await readFrames(answer)).map(({ frame }) => frame);
  const usage = frames.find((frame) => frame.type === "usage")!;
  return { n, runId, usage, frames, agent };
}

async function ledgerOf(on: ProviderService): Promise<Ledger> {
  const stored = await on.kv.get<Ledger>(keys.tenantLedger(await on.service.tenant()));
  return currentLedger(stored.value ?? undefined, TODAY);
}

/** A run ends in one of the contract's reasons, with the matching error. */
function checkEnd({ frames }: ObservedRun): void {
  const done = frames.at(-1);
  assert(done?.type === "done");
  const error = frames.find((frame) => frame.type === "error");
  const allowed: Record<string, (string | undefined)[]> = {
    stop: [undefined],
    content_filter: [undefined],
    max_cost: ["budget_exceeded"],
    max_steps: ["budget_exceeded"],
    error: ["provider_error", "plan_limit_exceeded"],
  };
  assert(allowed[done.finishReason]?.includes(error?.code), `${done.finishReason} ${error?.code}`);
}

/** The charge is within the agent's budget and the usage, and equals the frame and the record. */
function checkRun(
  observed: ObservedRun,
  record: RunRecord,
  { catalogue, requestCounts }: { catalogue: readonly CatalogueEntry[]; requestCounts: number },
): void {
  const { usage, agent } = observed;
  assertEquals(record.cost, Math.round(usage.costUsd * 1e6));
  assertEquals(usage.costUsd, record.cost / 1e6);
  assert(record.cost <= Math.floor(agent.budget.maxCostUsd * 1e6 + 1e-6));
  assert(record.steps <= agent.budget.maxSteps);
  assertEquals(
    [record.inputTokens, record.outputTokens],
    [usage.inputTokens, usage.outputTokens],
  );
  // Each step, and each attempt that was billed, is rounded up to a whole micro-USD.
  const shares = record.models ?? [record];
  const exact = shares.reduce((sum, share) => sum + priceOf(share, catalogue), 0);
  const total = record.cost + record.excess;
  const rounding = 1 + exact * 1e-9;
  assert(
    total >= exact - rounding && total <= exact + requestCounts + rounding,
    `${total} ${exact}`,
  );
}

/** Cost of a model's tokens by catalogue price, in micro-USD. */
function priceOf(
  share: Pick<RunRecord, "provider" | "model" | "inputTokens" | "outputTokens">,
  catalogue: readonly CatalogueEntry[],
): number {
  const { inputUsdPerMTok, outputUsdPerMTok } = catalogue.find((one) =>
    one.vendor === share.provider && one.model === share.model
  )!;
  return share.inputTokens * inputUsdPerMTok + share.outputTokens * outputUsdPerMTok;
}

/** Runs, ledger, usage rows and report agree, and stay within the daily limit. */
async function checkAccounts(on: ProviderService, hardDailyCost: number): Promise<void> {
  const records = await on.records();
  const sumOf = (field: "cost" | "inputTokens" | "outputTokens") =>
    records.reduce((total, record) => total + record[field], 0);
  const cost = sumOf("cost");
  assert(cost <= hardDailyCost);
  const ledger = await ledgerOf(on);
  assertEquals([ledger.spent, ledger.runs], [cost, {}]);
  const prefix = ["usage_rows", await on.service.tenant()];
  const rows = await Array.fromAsync(on.kv.list<UsageRow>({ prefix }));
  const rowed = rows.flatMap(({ value }) => Object.values(value.models));
  assertEquals(rowed.reduce((total, row) => total + row.cost, 0), cost);
  const report = await (await on.service.fetch("/v1/usage", { key: on.key })).json();
  assertEquals([report.costUsd, report.runs], [cost / 1e6, records.length]);
  assertEquals(
    [report.inputTokens, report.outputTokens],
    [sumOf("inputTokens"), sumOf("outputTokens")],
  );
  const warned = on.logged("warn").filter(({ excessMicroUsd }) => Number(excessMicroUsd) > 0);
  const exceeded = records.filter(({ excess }) => excess > 0);
  assertEquals(warned.map(({ runId }) => runId).sort(), exceeded.map((r) => r.runId).sort());
}

/** Providers with random answers, and their requests and false usage counts, by run. */
async function startProviders(seed: number) {
  const requestCounts = new Map<number, number>();
  const inflated = new Set<number>();
  const failedOnce = new Set<number>();
  const mock = await MockProviders.start({
    otherwise: (request) => {
      const planned = planAnswer(seed, request);
      requestCounts.set(planned.run, (requestCounts.get(planned.run) ?? 0) + 1);
      if (planned.inflated) inflated.add(planned.run);
      if (planned.stumbles) failedOnce.add(planned.run);
      return planned.script;
    },
  });
  return { mock, requestCounts, inflated, failedOnce };
}

/** Executes all runs, some concurrently; the daily limit is never exceeded, even briefly. */
async function runAll(
  on: ProviderService,
  { seed, hardDailyCost }: { seed: number; hardDailyCost: number },
): Promise<ObservedRun[]> {
  const observed: ObservedRun[] = [];
  for (let n = 0; n < RUNS; n += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, async (_, at) => {
      const run = await runOne(on, new SeededRandom(seed * 7_919 + n + at), n + at);
      const ledger = await ledgerOf(on);
      assert(ledger.spent + sumHolds(ledger, TODAY) <= hardDailyCost);
      if (run !== undefined) observed.push(run);
    });
    await Promise.all(batch);
  }
  return observed;
}

for (let seed = 1; seed <= 10; seed++) {
  Deno.test(`budgets hold for random agents and false usage counts, and all records agree (seed ${seed})`, async () => {
    const dice = new SeededRandom(seed);
    const { mock, requestCounts, inflated, failedOnce } = await startProviders(seed);
    await using _ = mock;
    const catalogue = randomCatalogue(dice);
    // A low daily limit if providers report false counts, otherwise room for all runs.
    const hardDailyCost = dice.pick([dice.int(50_000, 2_000_000), 1_000_000_000]);
    const windows = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6 };
    const limits = { ...windows, hardDailyCost };
    await using on = await ProviderService.start(mock, {
      catalogue,
      limits,
      // Retry delays are skipped.
      runtime: new ManualClock(TODAY.now).runtime,
    });
    const observed = await runAll(on, { seed, hardDailyCost });
    assert(observed.length > 0);
    const records = new Map((await on.records()).map((record) => [record.runId, record]));
    for (const run of observed) {
      const record = records.get(run.runId)!;
      const times = requestCounts.get(run.n) ?? 0;
      checkEnd(run);
      checkRun(run, record, { catalogue, requestCounts: times });
      // Checks are no steps.
      if (run.agent.guardrails === undefined) {
        if (failedOnce.has(run.n)) assert(times > record.steps);
        else assertEquals(times, record.steps);
      }
      // Correct usage is always covered by the reservation.
      if (!inflated.has(run.n)) assertEquals(record.excess, 0, JSON.stringify(record));
    }
    await checkAccounts(on, hardDailyCost);
  });
}
