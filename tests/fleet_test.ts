/**
 * Several processes on one store enforce limits as one: CONTRACT section 8. Here they are services in
 * this process on an in-memory store; `deno task test:denokv` runs the same with real processes.
 */
import { BEFORE_MIDNIGHT, midnight } from "./support/fleet/scenarios/midnight.ts";
import { SCENARIOS, SLOW_SCENARIOS } from "./support/fleet/scenarios/mod.ts";
import { ServiceFleet } from "./support/fleet/service_fleet.ts";

for (const processes of [1, 2, 3]) {
  Deno.test(`fleet of ${processes} in memory`, async (test) => {
    await using fleet = await ServiceFleet.open(processes);
    const slow = [SLOW_SCENARIOS.windows, SLOW_SCENARIOS.killed];
    for (const [name, scenario] of [...Object.entries(SCENARIOS), ...slow]) {
      await test.step(name, () => scenario(fleet));
    }
  });

  Deno.test(`fleet of ${processes} in memory: the daily budget resets at midnight`, async () => {
    await using fleet = await ServiceFleet.open(processes, { at: BEFORE_MIDNIGHT });
    await midnight(fleet);
  });
}
