/**
 * Deploys without a gap: processes on one store are replaced one after the other, under load. The service
 * is started as `main.ts` and stopped with SIGTERM; a proxy's health checks are imitated.
 */
import { assert, assertEquals } from "@std/assert";
import { type Answer } from "./support/fleet/answer.ts";
import { FleetTenant, MESSAGE_COST } from "./support/fleet/fleet_tenant.ts";
import { PACED } from "./support/fleet/fleet_provider.ts";
import { prepareBuild } from "./support/prepare_build.ts";
import { RollingFleet, type RollingProcess } from "./support/fleet/rolling_fleet.ts";
import { DENOKV_BIN } from "./support/shared_store.ts";
import { readStoredUsage } from "./support/stored_usage.ts";

const RESTARTS = 20;
const CLIENTS = 4;
/** At each fifth restart a run is active that cannot end in time. */
const INTERRUPT_EVERY = 5;

/** Messages of clients that choose a ready process, and do what the client libraries do. */
class Load {
  readonly answers: Answer[] = [];
  /** Requests that were sent again, with the same idempotency key. */
  retries = 0;
  isOn = true;
  readonly #fleet: RollingFleet;
  readonly #tenant: FleetTenant;
  #sent = 0;

  constructor(fleet: RollingFleet, tenant: FleetTenant) {
    this.#fleet = fleet;
    this.#tenant = tenant;
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: CLIENTS }, async () => {
      while (this.isOn) this.answers.push(await this.#chat());
    }));
  }

  /** One message, from the first request to the end of its run, in as many streams as it takes. */
  async #chat(): Promise<Answer> {
    const idempotencyKey = `message-${++this.#sent}-of-the-load`;
    while (true) {
      const through = this.#next();
      const message = { text: PACED, idempotencyKey };
      const answer = await this.#tenant.send(through, message).catch(() => undefined);
      if (answer?.outcome === "200") return await this.#follow(answer);
      assert(answer === undefined || answer.outcome.startsWith("503 "), answer?.outcome);
      this.retries++;
      await this.#fleet.pause();
    }
  }

  async #follow(answer: Answer): Promise<Answer> {
    let all = answer;
    while (await all.ended !== "done") {
      all = await this.#tenant.follow(this.#next(), answer.runId);
      assertEquals(all.outcome, "200");
    }
    return all;
  }

  #next(): RollingProcess {
    const ready = this.#fleet.processes;
    assert(ready.length > 0, "there must always be a process that is ready");
    return ready[this.#sent % ready.length]!;
  }
}

/** Replaces a process: the new one is ready before the old one gets SIGTERM. */
async function replace(
  fleet: RollingFleet,
  old: RollingProcess,
): Promise<{ next: RollingProcess; ended: Promise<number> }> {
  const next = await fleet.start();
  return { next, ended: old.stop() };
}

/** A run whose provider never answers: its process reports that it was interrupted. */
async function expectInterrupted(run: Answer): Promise<Answer> {
  assertEquals(await run.ended, "done");
  const [error, done] = run.frames.slice(-2).map(({ data }) => data);
  assert(error?.type === "error" && error.code === "run_interrupted");
  assert(done?.type === "done" && done.finishReason === "error");
  return run;
}

async function restartUnderLoad(fleet: RollingFleet): Promise<void> {
  let [first, second] = [await fleet.start(), await fleet.start()];
  const tenant = await FleetTenant.create(fleet);
  const load = new Load(fleet, tenant);
  const loaded = load.run();
  const interrupted: Promise<Answer>[] = [];
  const codes: Promise<number>[] = [];
  for (let n = 1; n <= RESTARTS; n++) {
    if (n % INTERRUPT_EVERY === 0) {
      const run = await tenant.send(first, { text: fleet.vendor.gate().message });
      interrupted.push(expectInterrupted(run));
    }
    const { next, ended } = await replace(fleet, first);
    codes.push(ended);
    [first, second] = [second, next];
  }
  load.isOn = false;
  await loaded;
  const answers = [...load.answers, ...await Promise.all(interrupted)];
  codes.push(first.stop(), second.stop());
  assertEquals(new Set(await Promise.all(codes)), new Set([0]), fleet.log.join(""));
  await expectEachOnce(fleet, answers);
  assert(load.answers.length > RESTARTS, `only ${load.answers.length} messages were answered`);
}

/** Each answer has one end, and the store has one settled run for each, at the cost that it reported. */
async function expectEachOnce(fleet: RollingFleet, answers: readonly Answer[]): Promise<void> {
  let total = 0;
  const { records, live, used, settled } = await readStoredUsage(fleet.kv);
  for (const { runId, frames } of answers) {
    assertEquals(frames.filter(({ type }) => type === "done").length, 1);
    const usage = frames.findLast(({ type }) => type === "usage")?.data;
    const costUsd = usage?.type === "usage" ? usage.costUsd : NaN;
    assertEquals(records.get(runId)?.cost, Math.round(costUsd * 1e6), runId);
    total += records.get(runId)!.cost;
  }
  assertEquals(new Set(answers.map(({ runId }) => runId)).size, answers.length);
  assertEquals([records.size, live], [answers.length, []]);
  assertEquals([used, settled.cost], [settled, total]);
  assert(total >= answers.filter(({ frames }) => endOf(frames) === "stop").length * MESSAGE_COST);
}

function endOf(frames: Answer["frames"]): string | undefined {
  const last = frames.at(-1)?.data;
  return last?.type === "done" ? last.finishReason : undefined;
}

/** From SIGTERM on `/readyz` is 503, while the process still starts runs and ends them. */
async function servesWhileRed(fleet: RollingFleet): Promise<void> {
  const process = await fleet.start();
  const tenant = await FleetTenant.create(fleet);
  const ended = process.stop();
  await fleet.within(20_000, () => Promise.resolve(!process.isReady));
  const answer = await tenant.send(process);
  assertEquals([answer.outcome, await answer.ended], ["200", "done"]);
  assertEquals(endOf(answer.frames), "stop");
  assertEquals(await Promise.race([ended, Promise.resolve("serves")]), "serves");
}

for (const denokv of [undefined, DENOKV_BIN]) {
  const ignore = Deno.build.os !== "linux";
  Deno.test({
    name: `${denokv === undefined ? "a served file" : "denokv"}: 20 rolling restarts under load ` +
      "lose no run, and charge none twice",
    ignore,
    async fn() {
      await prepareBuild();
      await using fleet = await RollingFleet.open({ denokv, env: { DRAIN_SECONDS: "1" } });
      await restartUnderLoad(fleet);
    },
  });
  if (DENOKV_BIN === undefined) break;
}

Deno.test({
  name: "SIGTERM: /readyz is red at once, and requests are served for DRAIN_SECONDS",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await prepareBuild();
    await using fleet = await RollingFleet.open({
      denokv: undefined,
      env: { DRAIN_SECONDS: "300" },
    });
    await servesWhileRed(fleet);
  },
});
