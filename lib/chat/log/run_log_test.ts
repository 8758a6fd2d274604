import { assertEquals, assertThrows } from "@std/assert";
import { flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { RunLog } from "./run_log.ts";

const delta = (text: string) => ({ type: "delta", text }) as const;
const done = { type: "done", finishReason: "stop" } as const;

Deno.test("RunLog: numbers frames from 1 and reads from any position", () => {
  const log = new RunLog();
  assertEquals(log.after(0), []);
  log.append(delta("a"));
  log.append(delta("b"));
  assertEquals(log.after(0), [{ n: 1, frame: delta("a") }, { n: 2, frame: delta("b") }]);
  assertEquals(log.after(1), [{ n: 2, frame: delta("b") }]);
  assertEquals(log.after(2), []);
  assertEquals(log.after(9), []);
});

Deno.test("RunLog: done closes the log", () => {
  const log = new RunLog();
  assertEquals(log.closed, false);
  log.append(done);
  assertEquals(log.closed, true);
  assertThrows(() => log.append(done), Error, "closed log");
  assertEquals(log.length, 1);
});

Deno.test("RunLog: the next frame resolves every wait", async () => {
  const log = new RunLog();
  const woken: string[] = [];
  log.nextAppend().then(() => woken.push("a"));
  log.nextAppend().then(() => woken.push("b"));
  await flushMicrotasks();
  assertEquals(woken, []);
  log.append(delta("x"));
  log.nextAppend().then(() => woken.push("c"));
  await flushMicrotasks();
  assertEquals(woken, ["a", "b"]);
});
