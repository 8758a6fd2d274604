import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { createLogger } from "../../platform/log.ts";
import { ScheduledBackups } from "./scheduled_backups.ts";

const HOUR = 3_600_000;

function scheduled({ last, fails = () => false }: {
  last?: (now: number) => number;
  fails?: (attempt: number) => boolean;
}) {
  const runtime = new FakeRuntime();
  const startedAt = runtime.now();
  const made: number[] = [];
  const lines: string[] = [];
  const backups = new ScheduledBackups({
    everyMs: 6 * HOUR,
    readLastBackup: () => Promise.resolve(last?.(startedAt)),
    makeBackup: () => {
      made.push((runtime.now() - startedAt) / 60_000);
      return fails(made.length) ? Promise.reject(new Error("disk full")) : Promise.resolve();
    },
    runtime,
    log: createLogger({ json: true, write: (line) => lines.push(line) }),
  });
  return { backups, runtime, made, lines };
}

Deno.test("ScheduledBackups: the first soon after the start, then one after each interval", async () => {
  const { backups, runtime, made } = scheduled({});
  await backups.start();
  for (let n = 0; n < 13 * 60; n++) await runtime.advance(60_000);
  await backups.stop();
  assertEquals(made, [1, 361, 721]);
});

Deno.test("ScheduledBackups: a restart continues where the last process was", async () => {
  const { backups, runtime, made } = scheduled({ last: (now) => now - 4 * HOUR });
  await backups.start();
  for (let n = 0; n < 3 * 60; n++) await runtime.advance(60_000);
  await backups.stop();
  assertEquals(made, [120]);
});

Deno.test("ScheduledBackups: a last backup in the future postpones nothing", async () => {
  const { backups, runtime, made } = scheduled({ last: (now) => now + 1_000 * HOUR });
  await backups.start();
  await runtime.advance(60_000);
  await backups.stop();
  assertEquals(made, [1]);
});

Deno.test("ScheduledBackups: a backup that failed is logged and tried again after ten minutes", async () => {
  const { backups, runtime, made, lines } = scheduled({ fails: (attempt) => attempt < 3 });
  await backups.start();
  for (let n = 0; n < 60; n++) await runtime.advance(60_000);
  await backups.stop();
  assertEquals(made, [1, 11, 21]);
  assertEquals(lines.filter((line) => line.includes("disk full")).length, 2);
  assertEquals(lines.filter((line) => line.includes("a backup was made")).length, 1);
});
