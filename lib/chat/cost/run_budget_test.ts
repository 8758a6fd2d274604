import { assert, assertEquals } from "@std/assert";
import { catalogueEntry } from "@/tests/support/chat.ts";
import { seeded } from "@/tests/support/flaky_kv.ts";
import { costMicroUsd } from "../../schemas/token_cost.ts";
import { RunBudget } from "./run_budget.ts";

const ENTRY = catalogueEntry();
const CANDIDATE = { provider: ENTRY.vendor, model: ENTRY.model, client: undefined as never };

/** The budget of a run that has `spent` so far and reserves more from `day`. */
function open(
  { ceiling, hold, spent = 0, day = Infinity }: {
    ceiling: number;
    hold: number;
    spent?: number;
    day?: number;
  },
) {
  const raised: number[] = [];
  const budget = new RunBudget({
    entries: [ENTRY],
    maxOutputTokens: 1_000,
    maxCost: ceiling,
    hold,
    spent: () => spent,
    raise(amount) {
      raised.push(amount.hold);
      const granted = Math.min(amount.hold, day);
      return Promise.resolve(granted < amount.least ? undefined : granted);
    },
  });
  const allow = async (inputTokens: number) => {
    const grant = await budget.authorizeStep({
      inputTokens,
      inputBytes: inputTokens,
      candidates: [CANDIDATE],
    });
    return "ended" in grant ? grant.ended.finishReason : grant.outputTokens(CANDIDATE);
  };
  return { allow, raised };
}

Deno.test("RunBudget: a step within the hold reserves nothing more", async () => {
  const { allow, raised } = open({ ceiling: 1e6, hold: 300 + 15_000 });
  assertEquals([await allow(100), raised], [1_000, []]);
});

Deno.test("RunBudget: a more expensive step raises the hold, spent amount included", async () => {
  const { allow, raised } = open({ ceiling: 1e6, hold: 15_300, spent: 5_000 });
  assertEquals([await allow(100), raised], [1_000, [20_300]]);
});

Deno.test("RunBudget: reasoning is priced by tokens but takes context by bytes", async () => {
  const local = { ...ENTRY, contextTokens: 2_000, maxOutputTokens: 1_000 };
  const budget = new RunBudget({
    entries: [local],
    maxOutputTokens: 1_000,
    maxCost: 300 + 1_000 * 15,
    hold: 300 + 1_000 * 15,
    spent: () => 0,
    raise: () => Promise.resolve(undefined),
  });
  const allowed = async (inputBytes: number) => {
    const grant = await budget.authorizeStep({
      inputTokens: 100,
      inputBytes,
      candidates: [CANDIDATE],
    });
    return "outputTokens" in grant ? grant.outputTokens(CANDIDATE) : grant;
  };
  assertEquals([await allowed(3_000), await allowed(3_600)], [1_000, 800]);
});

Deno.test("RunBudget: output is limited to what the agent's budget still pays for", async () => {
  const { allow } = open({ ceiling: 5_000, hold: 5_000, spent: 1_000 });
  assertEquals(await allow(100), Math.floor((4_000 - 300) / 15));
  assertEquals(await allow(1_329), "max_cost");
});

Deno.test("RunBudget: the daily limit ends the run, or shortens its output", async () => {
  const cut = open({ ceiling: 1e6, hold: 0, day: 3_000 });
  assertEquals(await cut.allow(100), 180);
  const full = open({ ceiling: 1e6, hold: 0, day: 300 });
  assertEquals(await full.allow(100), "error");
});

Deno.test("RunBudget: output is limited by each candidate's catalogue entry", async () => {
  const short = catalogueEntry({ model: "short", maxOutputTokens: 200 });
  const budget = new RunBudget({
    entries: [ENTRY, short],
    maxOutputTokens: 1_000,
    maxCost: 1e6,
    hold: 1e6,
    spent: () => 0,
    raise: ({ hold }) => Promise.resolve(hold),
  });
  const spare = { ...CANDIDATE, model: "short" };
  const grant = await budget.authorizeStep({
    inputTokens: 10,
    inputBytes: 10,
    candidates: [CANDIDATE, spare],
  });
  assert("outputTokens" in grant);
  assertEquals([CANDIDATE, spare].map(grant.outputTokens), [1_000, 200]);
});

Deno.test("RunBudget: output and hold are limited to what fits next to the prompt", async () => {
  const local = catalogueEntry({ contextTokens: 8_192, maxOutputTokens: 8_192 });
  const raised: number[] = [];
  const budget = new RunBudget({
    entries: [local],
    maxOutputTokens: 8_192,
    maxCost: 1e6,
    hold: 0,
    spent: () => 0,
    raise: ({ hold }) => Promise.resolve((raised.push(hold), hold)),
  });
  for (const [inputTokens, outputTokens] of [[3_000, 7_192], [18_000, 2_192], [90_000, 2_048]]) {
    const grant = await budget.authorizeStep({
      inputTokens: inputTokens!,
      inputBytes: inputTokens!,
      candidates: [CANDIDATE],
    });
    assert("outputTokens" in grant);
    assertEquals(grant.outputTokens(CANDIDATE), outputTokens);
  }
  assertEquals(raised, [3_000 * 3 + 7_192 * 15, 90_000 * 3 + 2_048 * 15]);
});

Deno.test("RunBudget: steps with correct usage never exceed the budget and use it up", async () => {
  const random = seeded(11);
  for (let n = 0; n < 200; n++) {
    const ceiling = 1_000 + Math.floor(random() * 100_000);
    let spent = 0;
    const budget = new RunBudget({
      entries: [ENTRY],
      maxOutputTokens: 1_000,
      maxCost: ceiling,
      hold: 0,
      spent: () => spent,
      raise: ({ hold }) => Promise.resolve(hold),
    });
    while (true) {
      const inputTokens = Math.floor(random() * 300);
      const grant = await budget.authorizeStep({
        inputTokens,
        inputBytes: inputTokens,
        candidates: [CANDIDATE],
      });
      if ("ended" in grant) break;
      spent += costMicroUsd(ENTRY, { inputTokens, outputTokens: grant.outputTokens(CANDIDATE) });
      assert(spent <= ceiling);
    }
    assert(ceiling - spent <= 300 * 3 + 15, `${ceiling - spent} of ${ceiling} were left`);
  }
});

Deno.test("RunBudget: a fallback that is too expensive is skipped and blocks nothing", async () => {
  const dear = catalogueEntry({ model: "dear", inputUsdPerMTok: 300, outputUsdPerMTok: 1_500 });
  const spare = { ...CANDIDATE, model: "dear" };
  const open = (limits: { ceiling: number; day: number }) =>
    new RunBudget({
      entries: [ENTRY, dear],
      maxOutputTokens: 1_000,
      maxCost: limits.ceiling,
      hold: 0,
      spent: () => 0,
      raise: ({ hold, least }) =>
        Promise.resolve(least > limits.day ? undefined : Math.min(hold, limits.day)),
    });
  for (const limits of [{ ceiling: 20_000, day: 1e6 }, { ceiling: 1e6, day: 20_000 }]) {
    const grant = await open(limits).authorizeStep({
      inputTokens: 100,
      inputBytes: 100,
      candidates: [CANDIDATE, spare],
    });
    assert("outputTokens" in grant);
    assertEquals([CANDIDATE, spare].map(grant.outputTokens), [1_000, 0]);
    // When the expensive model is next, no candidate is affordable.
    const ended = await open(limits).authorizeStep({
      inputTokens: 100,
      inputBytes: 100,
      candidates: [spare],
    });
    assert("ended" in ended);
  }
});

Deno.test("RunBudget.nested: whatever two budgets spend in turn, the run's is never exceeded, and the hold covers it", async () => {
  const random = seeded(23);
  const dear = catalogueEntry({ model: "dear", inputUsdPerMTok: 10, outputUsdPerMTok: 50 });
  for (let n = 0; n < 200; n++) {
    const maxCost = 1_000 + Math.floor(random() * 200_000);
    const day = Math.floor(random() * 2 * maxCost);
    let [spent, held] = [0, 0];
    const shared = { maxOutputTokens: 1_000, maxCost, hold: 0, spent: () => spent };
    const outer = new RunBudget({
      ...shared,
      entries: [ENTRY],
      raise: ({ hold, least }) => {
        const granted = Math.min(hold, day);
        if (granted < least) return Promise.resolve(undefined);
        return Promise.resolve(held = granted);
      },
    });
    const step = async (budget: RunBudget, entry: typeof ENTRY) => {
      const candidate = { ...CANDIDATE, model: entry.model };
      const inputTokens = Math.floor(random() * 300);
      const size = { inputTokens, inputBytes: inputTokens, candidates: [candidate] };
      const grant = await budget.authorizeStep(size);
      if ("ended" in grant) return false;
      const outputTokens = Math.floor(grant.outputTokens(candidate) * random());
      spent += costMicroUsd(entry, { inputTokens, outputTokens });
      assert(spent <= maxCost && spent <= held, `${spent} of ${maxCost}, ${held} held`);
      return true;
    };
    while (await step(outer, ENTRY)) {
      const own = Math.floor(random() * 20_000);
      const before = spent;
      const inner = outer.nested({ entries: [dear], maxOutputTokens: 500, maxCost: own });
      while (await step(inner, dear)) assert(spent - before <= own);
    }
  }
});

Deno.test("RunBudget.nested: a short answer of the outer agent stays paid for", async () => {
  let spent = 0;
  const outer = new RunBudget({
    ...{ entries: [ENTRY], maxOutputTokens: 1_000, maxCost: 50_000, hold: 50_000 },
    ...{ spent: () => spent, raise: ({ hold }) => Promise.resolve(hold) },
  });
  const step = { inputTokens: 1_000, inputBytes: 1_000, candidates: [CANDIDATE] };
  await outer.authorizeStep(step);
  spent += 5_000;
  const inner = outer.nested({ entries: [ENTRY], maxOutputTokens: 4_000, maxCost: 1e6 });
  for (let n = 0; n < 100; n++) {
    const grant = await inner.authorizeStep(step);
    if ("ended" in grant) break;
    spent += costMicroUsd(ENTRY, {
      inputTokens: 1_000,
      outputTokens: grant.outputTokens(CANDIDATE),
    });
  }
  const last = await outer.authorizeStep({ ...step, inputTokens: 4_000, inputBytes: 4_000 });
  assert("outputTokens" in last && last.outputTokens(CANDIDATE) >= 256);
});

Deno.test("RunBudget: a check is reserved beside the step that is running, never beyond the agent's budget", async () => {
  const judge = catalogueEntry({ model: "judge", inputUsdPerMTok: 1, outputUsdPerMTok: 2 });
  const judging = { provider: judge.vendor, model: judge.model, client: undefined as never };
  const raised: number[] = [];
  let spent = 0;
  const budget = new RunBudget({
    entries: [ENTRY, judge],
    maxOutputTokens: 1_000,
    maxCost: 19_200,
    hold: 1_000,
    hasOutputChecks: true,
    spent: () => spent,
    raise: ({ hold }) => {
      raised.push(hold);
      return Promise.resolve(hold);
    },
  });
  const check = async () => {
    const grant = await budget.authorizeCheck({
      ...{ inputTokens: 476, inputBytes: 476, candidates: [judging] },
    });
    return "ended" in grant ? grant.ended.finishReason : grant.outputTokens(judging);
  };
  // 476 tokens and a verdict of 512.
  const cost = 476 + 512 * 2;
  const grant = await budget.authorizeStep({
    ...{ inputTokens: 100, inputBytes: 100, candidates: [CANDIDATE] },
  });
  // A fifth of the budget is left for checks.
  assertEquals("outputTokens" in grant && grant.outputTokens(CANDIDATE), 1_000);
  assertEquals([await check(), await check(), await check()], [512, 512, "max_cost"]);
  assertEquals(raised, [15_300, 15_300 + cost, 15_300 + 2 * cost]);
  // The step has ended, and cost less than it could.
  spent = 2_000;
  await budget.authorizeStep({ inputTokens: 100, inputBytes: 100, candidates: [CANDIDATE] });
  assertEquals(await check(), 512);
});

Deno.test("RunBudget: a check beyond the day's limit ends the run", async () => {
  const budget = new RunBudget({
    ...{ entries: [ENTRY], maxOutputTokens: 1_000, maxCost: 1e6, hold: 100, spent: () => 0 },
    raise: () => Promise.resolve(undefined),
  });
  const step = { inputTokens: 100, inputBytes: 100, candidates: [CANDIDATE] };
  const grant = await budget.authorizeCheck(step);
  assertEquals("ended" in grant && grant.ended.error?.code, "plan_limit_exceeded");
});
