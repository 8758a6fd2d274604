import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { OpenCalls } from "./open_calls.ts";

Deno.test("OpenCalls: durations are in the order of the calls, whichever ends first", async () => {
  const runtime = new FakeRuntime();
  const calls = new OpenCalls(runtime);
  calls.begin(2);
  await runtime.advance(10);
  calls.begin(3);
  await runtime.advance(20);
  assertEquals(calls.end(3), {});
  assertEquals(calls.ms, []);
  await runtime.advance(5);
  assertEquals(calls.end(2), { call: 2 });
  assertEquals(calls.ms, [35, 20]);
});

Deno.test("OpenCalls: calls beside each other begin with the first", async () => {
  const runtime = new FakeRuntime();
  const calls = new OpenCalls(runtime);
  calls.begin(2, 1);
  await runtime.advance(10);
  calls.end(2);
  calls.begin(4);
  calls.end(4);
  calls.begin(6);
  await runtime.advance(1);
  calls.end(6);
  assertEquals(calls.ms, [10, 10, 1]);
});
