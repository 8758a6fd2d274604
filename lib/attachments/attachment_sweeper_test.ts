import { assertEquals } from "@std/assert";
import { createLogger } from "../platform/log.ts";
import { keys } from "../store/keys/keys.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { openTestKv } from "@/tests/support/open_kv.ts";
import { AttachmentSweeper } from "./attachment_sweeper.ts";

const HOUR_MS = 60 * 60_000;

Deno.test("AttachmentSweeper: deletes what has expired, and logs a store that fails", async () => {
  const kv = await openTestKv();
  const runtime = new FakeRuntime();
  const logged: string[] = [];
  const log = createLogger({ json: true, write: (line) => logged.push(line) });
  const sweeper = new AttachmentSweeper(kv, { runtime, log });
  const due = (hours: number) =>
    keys.attachmentDue(runtime.now() + hours * HOUR_MS, fakeUuid(1), fakeUuid(2));
  const [soon, later] = [due(0.5), due(5)];
  for (const key of [soon, later]) await kv.set(key, { v: 1 });
  await sweeper.sweepIfDue();
  await runtime.advance(HOUR_MS / 4);
  await kv.delete(soon);
  await kv.set(due(-1), { v: 1 });
  // Nothing was due before the entry that it has seen.
  await sweeper.sweepIfDue();
  assertEquals((await Array.fromAsync(kv.list({ prefix: keys.attachmentsDue() }))).length, 2);
  await runtime.advance(HOUR_MS / 4);
  await sweeper.sweepIfDue();
  const left = await Array.fromAsync(kv.list({ prefix: keys.attachmentsDue() }), ({ key }) => key);
  assertEquals(left, [later]);
  kv.close();
  await runtime.advance(HOUR_MS);
  await sweeper.sweepIfDue();
  assertEquals(logged.length, 1);
});
