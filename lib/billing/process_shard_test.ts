import { assertEquals } from "@std/assert";
import { instantRuntime } from "@/tests/support/instant_runtime.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { type Runtime, systemRuntime } from "../platform/runtime.ts";
import { ProcessShard, SHARDS } from "./process_shard.ts";

const LEASE_MS = 3 * 60_000;

function createProcesses() {
  const { runtime: time, advance } = instantRuntime();
  const runtime: Runtime = { ...systemRuntime, ...time };
  const open = (kv: Deno.Kv) => new ProcessShard(new GroupCommitter(kv, { runtime }), runtime);
  return { open, advance };
}

Deno.test("ProcessShard: a process uses the first shard until it claims another", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = createProcesses();
  const processes = [open(kv), open(kv), open(kv)];
  assertEquals(processes.map(({ number }) => number), [0, 0, 0]);
  await Promise.all(processes.map((one) => one.claim()));
  assertEquals(processes.map(({ number }) => number).sort(), [1, 2, 3]);
  await processes[0]!.claim();
  assertEquals(new Set(processes.map(({ number }) => number)).size, 3);
});

Deno.test("ProcessShard: a shard that was released or not renewed goes to another process", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = createProcesses();
  const [left, silent, busy] = [open(kv), open(kv), open(kv)];
  for (const one of [left, silent, busy]) await one.claim();
  await left.release();
  assertEquals(left.number, 0);
  const next = open(kv);
  await next.claim();
  assertEquals(next.number, 1);
  // Reading the number renews the claim.
  for (let passed = 0; passed <= LEASE_MS; passed += 60_000) {
    advance(60_000);
    assertEquals(busy.number, 3);
    await busy.claim();
  }
  const [second, third] = [open(kv), open(kv)];
  await second.claim();
  await third.claim();
  assertEquals([second.number, third.number].sort(), [1, 2]);
});

Deno.test("ProcessShard: more processes than shards share them", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = createProcesses();
  const processes = Array.from({ length: 20 }, () => open(kv));
  for (const one of processes) await one.claim();
  const numbers = processes.map(({ number }) => number);
  assertEquals(numbers.every((n) => n > 0 && n < SHARDS), true);
});

Deno.test("ProcessShard: a failing store changes nothing", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = createProcesses();
  const one = open(flakyKv(kv, { random: seeded(1), locked: 1 }).kv);
  await one.claim();
  assertEquals(one.number, 0);
  await one.release();
});
