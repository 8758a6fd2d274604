import { assertEquals } from "@std/assert";
import { endsOf } from "../answer.ts";
import type { Fleet } from "../fleet.ts";
import { FleetTenant, MESSAGE_COST } from "../fleet_tenant.ts";

/** A run is followed from its first frame at every process, and its clients have the same. */
export async function resumeElsewhere(fleet: Fleet): Promise<void> {
  const tenant = await FleetTenant.create(fleet);
  const gate = fleet.vendor.gate();
  const run = await tenant.send(fleet.processes[0]!, { text: gate.message });
  const { processes } = fleet;
  const followers = await Promise.all(processes.map((one) => tenant.follow(one, run.runId)));
  gate.open();
  const all = [run, ...followers];
  assertEquals(await endsOf(all), { stop: all.length });
  for (const { frames } of followers) assertEquals(frames, run.frames);
  assertEquals(await tenant.cost(), MESSAGE_COST);
}

/** A run is stopped at a process that does not run it: all who follow have its one end. */
export async function stopElsewhere(fleet: Fleet): Promise<void> {
  const tenant = await FleetTenant.create(fleet);
  const text = fleet.vendor.gate().message;
  for (const process of fleet.processes) {
    const run = await tenant.send(fleet.processes[0]!, { text });
    const follower = await tenant.follow(process, run.runId);
    await tenant.cancel(process, run.runId);
    assertEquals(await endsOf([run, follower]), { cancelled: 2 });
    assertEquals(follower.frames, run.frames);
  }
  assertEquals(await tenant.activeStreams(), fleet.processes.map(() => 0));
}
