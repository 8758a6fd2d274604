/**
 * Several server processes of one service, as `deno task start` starts them with `WORKERS`: they share a
 * port and the store of their supervisor, and hold the limits of CONTRACT section 8 as one.
 */
import { assert, assertEquals } from "@std/assert";
import { admitted, endsOf, outcomes } from "./support/fleet/answer.ts";
import type { FleetProcess } from "./support/fleet/fleet.ts";
import { FleetTenant, MESSAGE_COST } from "./support/fleet/fleet_tenant.ts";
import { SCENARIOS, SLOW_SCENARIOS } from "./support/fleet/scenarios/mod.ts";
import { SCRAPE_TOKEN, WorkerFleet } from "./support/fleet/worker_fleet.ts";
import { childrenOf, hasEnded } from "./support/linux_sockets.ts";
import { openTestKv } from "./support/open_kv.ts";
import { createKey } from "./support/started_service.ts";
import { ScrapedMetrics } from "./support/scraped_metrics.ts";
import { readStoredUsage } from "./support/stored_usage.ts";

const ignore = Deno.build.os !== "linux";

/** Of 40 chats at once, spread over all processes, exactly the tenant's 10 are admitted. */
async function cap(fleet: WorkerFleet): Promise<void> {
  const tenant = await FleetTenant.create(fleet, { streams: undefined });
  for (let round = 0; round < 3; round++) {
    const gate = fleet.vendor.gate();
    const answers = await tenant.sendAll(40, { text: gate.message });
    assertEquals(outcomes(answers), { "200": 10, "429 tenant_streams": 30 });
    assertEquals(await tenant.activeStreams(), fleet.processes.map(() => 10));
    gate.open();
    assertEquals(await endsOf(admitted(answers)), { stop: 10 });
  }
}

/** The run of a killed process is reported as interrupted by the others, and charged once. */
async function killedRun(fleet: WorkerFleet): Promise<void> {
  const tenant = await FleetTenant.create(fleet);
  const gate = fleet.vendor.gate();
  const victim = fleet.processes[0]!;
  const run = await tenant.send(victim, { text: gate.message });
  while (run.frames.length < 2) await fleet.pause();
  await fleet.kill(victim);
  assertEquals(fleet.processes.length, (await childrenOf(fleet.supervisor)).length);
  assertEquals(await endsOf([run]), { cut: 1 });
  const followers = await Promise.all(fleet.processes.map((one) => tenant.follow(one, run.runId)));
  for (const { frames, ended } of followers) {
    assertEquals(await ended, "done");
    const error = frames.at(-2)?.data;
    assert(error?.type === "error" && error.code === "run_interrupted");
  }
  for (const process of fleet.processes) {
    assertEquals(await tenant.cost(process), MESSAGE_COST);
    assertEquals(await tenant.recorded(process), { runs: 1, cost: MESSAGE_COST });
  }
  assertEquals(await tenant.activeStreams(), fleet.processes.map(() => 0));
}

/** A key that the command line creates is valid at every process. */
async function commandLine(fleet: WorkerFleet, dir: string): Promise<void> {
  let key = "";
  // A process that was just replaced may not take commands yet.
  await fleet.within(10_000, async () => (key = await createKey(dir)) !== "");
  for (const { url } of fleet.processes) {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${url}/v1/agents`, { headers });
    assertEquals(response.status, 200);
    await response.body?.cancel();
  }
}

/** Every process reports the metrics of all: what was sent to each adds up. */
async function metrics(fleet: WorkerFleet): Promise<void> {
  const read = async ({ url }: FleetProcess) => {
    const headers = { authorization: `Bearer ${SCRAPE_TOKEN}` };
    const response = await fetch(`${url}/metrics`, { headers });
    assertEquals(response.status, 200);
    return new ScrapedMetrics(await response.text());
  };
  const tenant = await FleetTenant.create(fleet);
  const before = await read(fleet.processes[0]!);
  for (const through of fleet.processes) {
    assertEquals(await endsOf([await tenant.send(through)]), { stop: 1 });
  }
  for (const process of fleet.processes) {
    const after = await read(process);
    const added = (name: string) => after.sum(name) - before.sum(name);
    assertEquals(added("agent_chat_runs_ended_total"), fleet.processes.length);
    const cost = Math.round(added("agent_chat_cost_usd_total") * 1_000_000);
    assertEquals(cost, fleet.processes.length * MESSAGE_COST);
    assertEquals(after.sum("agent_chat_server_processes"), fleet.processes.length);
    const numbers = Object.keys(after.sumBy("process_start_time_seconds", "process"));
    assertEquals(numbers, fleet.processes.map((_, n) => String(n + 1)));
    assertEquals(after.sum("agent_chat_server_processes_expected"), fleet.processes.length);
  }
}

/** SIGTERM: runs of every process end, nothing is left to settle, and the exit code is 0. */
async function drains(fleet: WorkerFleet, dir: string): Promise<void> {
  const tenant = await FleetTenant.create(fleet);
  const [finishing, stalled] = [fleet.vendor.gate(), fleet.vendor.gate()];
  const sendAll = (text: string) =>
    Promise.all(fleet.processes.map((through) => tenant.send(through, { text })));
  const [ends, stops] = [await sendAll(finishing.message), await sendAll(stalled.message)];
  for (const run of [...ends, ...stops]) while (run.frames.length < 2) await fleet.pause();
  const stopping = fleet.service.stop();
  // Idle connections close at once, so the processes have the signal.
  finishing.open();
  assertEquals(await endsOf(ends), { stop: ends.length });
  assertEquals(await endsOf(stops), { error: stops.length });
  assertEquals((await stopping).code, 0);
  using kv = await openTestKv(`${dir}/data/kv.sqlite3`);
  const { live, leases, used, settled } = await readStoredUsage(kv);
  assertEquals([live, leases], [[], []]);
  assertEquals(used, settled);
  // The processes write to one pipe, line by line.
  // The first start of a checkout builds the browser code, and says so before the service logs.
  const logged = fleet.log.filter((line) => !line.startsWith("building the browser code"));
  for (const line of logged) assertEquals(typeof JSON.parse(line).message, "string");
}

for (const workers of [2, 4]) {
  Deno.test({
    name: `${workers} workers`,
    ignore,
    fn: async (test) => {
      const dir = await Deno.makeTempDir();
      try {
        await using fleet = await WorkerFleet.open(dir, workers);
        await test.step("40 chats at once fill exactly 10 slots", () => cap(fleet));
        for (const [name, scenario] of Object.entries(SCENARIOS)) {
          await test.step(name, () => scenario(fleet));
        }
        await test.step("every process reports the metrics of all", () => metrics(fleet));
        await test.step("the command line reaches every process", () => commandLine(fleet, dir));
        // These mostly wait for leases, so one fleet does.
        if (workers === 2) {
          await test.step("the run of a killed process is interrupted", () => killedRun(fleet));
          const [name, killed] = SLOW_SCENARIOS.killed;
          await test.step(name, () => killed(fleet));
        }
        await test.step("SIGTERM drains every process", () => drains(fleet, dir));
      } finally {
        await Deno.remove(dir, { recursive: true });
      }
    },
  });
}

Deno.test({
  name:
    "kill -9 of the supervisor ends its processes, and the next start settles their runs at once",
  ignore,
  fn: async () => {
    const dir = await Deno.makeTempDir();
    try {
      await using killed = await WorkerFleet.open(dir, 2);
      const tenant = await FleetTenant.create(killed);
      const { message } = killed.vendor.gate();
      const send = (through: FleetProcess) => tenant.send(through, { text: message });
      const runs = await Promise.all(killed.processes.map(send));
      for (const run of runs) while (run.frames.length < 2) await killed.pause();
      const pids = killed.processes.map(({ pid }) => pid);
      await killed.service.kill();
      assertEquals(await endsOf(runs), { cut: 2 });
      await killed.within(
        5_000,
        async () => (await Promise.all(pids.map(hasEnded))).every(Boolean),
      );
      await using next = await WorkerFleet.open(dir, 2);
      const [first] = next.processes;
      for (const { runId } of runs) {
        const follower = await tenant.follow(first!, runId);
        assertEquals(await follower.ended, "done");
        const error = follower.frames.at(-2)?.data;
        assert(error?.type === "error" && error.code === "run_interrupted");
      }
      assertEquals(await tenant.cost(first), 2 * MESSAGE_COST);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
