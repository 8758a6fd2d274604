/**
 * The scenarios of `fleet_test.ts` with one to three real processes, on a `denokv` server without and
 * with network latency.
 */
import { ProcessFleet } from "./support/fleet/process_fleet.ts";
import { SCENARIOS, SLOW_SCENARIOS } from "./support/fleet/scenarios/mod.ts";
import { DENOKV_BIN } from "./support/shared_store.ts";

for (const delayMs of [0, 10, 45]) {
  for (const processes of [1, 2, 3]) {
    Deno.test({
      name: `denokv ${delayMs} ms away in each direction: a fleet of ${processes}`,
      ignore: DENOKV_BIN === undefined,
      fn: (test) => testFleet(test, { processes, delayMs }),
    });
  }
}

/** The window scenario mostly waits for a minute, so a second fleet runs it in parallel. */
async function testFleet(
  test: Deno.TestContext,
  options: { processes: number; delayMs: number },
): Promise<void> {
  const { windows: [name, windows], killed } = SLOW_SCENARIOS;
  await using other = await ProcessFleet.open(DENOKV_BIN!, options);
  const exact = Promise.allSettled([windows(other)]);
  await using fleet = await ProcessFleet.open(DENOKV_BIN!, options);
  for (const [name, scenario] of [...Object.entries(SCENARIOS), killed]) {
    await test.step(name, () => scenario(fleet));
  }
  await test.step(name, async () => {
    for (const settled of await exact) if (settled.status === "rejected") throw settled.reason;
  });
}
