import { assertEquals } from "@std/assert";
import { catalogueEntry } from "@/tests/support/chat.ts";
import { RunBudget } from "./run_budget.ts";

const ENTRY = catalogueEntry();
const CANDIDATE = { provider: ENTRY.vendor, model: ENTRY.model, client: undefined as never };

/** Two steps of a run of 60 s: the second begins after 22 s, of which people took `waited`. */
async function secondStep(waited: number) {
  const at = { now: 0, waited: 0 };
  const budget = new RunBudget({
    ...{ entries: [ENTRY], maxOutputTokens: 1_000, maxCost: 1e9, hold: 1e9, spent: () => 0 },
    raise: () => Promise.resolve(undefined),
    ...{ now: () => at.now, waitedMs: () => at.waited, deadline: 60_000 },
  });
  const step = { inputTokens: 100, inputBytes: 100, candidates: [CANDIDATE] };
  await budget.authorizeStep(step);
  at.now = 22_000;
  at.waited = waited;
  const grant = await budget.authorizeStep(step);
  return { limit: "limit" in grant ? grant.limit : undefined, askingMs: budget.askingMs };
}

Deno.test("RunBudget: after a slow round, the next step is the last one", async () => {
  assertEquals((await secondStep(0)).limit, "timeout");
});

Deno.test("RunBudget: a round in which people took their time is not a slow one", async () => {
  const { limit, askingMs } = await secondStep(20_000);
  assertEquals(limit, undefined);
  assertEquals(askingMs, 60_000 - 22_000 - 1_000);
});
