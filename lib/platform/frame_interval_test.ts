import { assertEquals } from "@std/assert";
import { frameInterval } from "./frame_interval.ts";

Deno.test("frameInterval: 30 ms for a few streams, up to 60 ms for many", () => {
  const streams = [0, 1, 32, 64, 96, 1_000];
  assertEquals(streams.map(frameInterval), [30, 30, 30, 45, 60, 60]);
});
