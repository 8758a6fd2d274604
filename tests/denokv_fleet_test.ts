/**
 * What `fleet_test.ts` tests of services in one process, of real ones: one to three, at a `denokv` server
 * beside them and at a distance.
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

/** Windows take a minute of mere waiting, so they have a fleet of their own meanwhile. */
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
