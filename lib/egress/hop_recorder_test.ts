import { assertEquals } from "@std/assert";
import type { EgressCall } from "./egress_error.ts";
import { HopRecorder } from "./hop_recorder.ts";

Deno.test("HopRecorder: the duration is not negative if the clock is set back", () => {
  const calls: EgressCall[] = [];
  const times = [5_000, 2_000];
  const target = { url: new URL("https://tools.example.com/"), method: "GET", hop: 0 };
  const record = new HopRecorder(target, {
    now: () => times.shift() ?? 0,
    onCall: (call) => calls.push(call),
  });
  record.end();
  record.end("twice");
  assertEquals(calls, [{ host: "tools.example.com", method: "GET", bytes: 0, ms: 0, hop: 0 }]);
});
