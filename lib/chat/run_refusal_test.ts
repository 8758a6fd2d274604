import { assertEquals } from "@std/assert";
import { RunStopped } from "./run.ts";
import { refusalOf } from "./run_refusal.ts";

Deno.test("refusalOf: a vendor is blamed for the time that is up only where one was asked", () => {
  const timeout = new RunStopped("timeout");
  const messages = [true, false].map((asked) => refusalOf(timeout, { asked }).message);
  assertEquals(messages, [
    "no model accepted within the agent's wallClockMs",
    "the agent's wallClockMs was over before any model was asked",
  ]);
});
