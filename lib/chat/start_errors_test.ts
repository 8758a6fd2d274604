import { assertEquals } from "@std/assert";
import { RunStoppedError } from "./run.ts";
import { toStartError } from "./start_errors.ts";

Deno.test("refusalOf: a vendor is blamed for the time that is up only where one was asked", () => {
  const timeout = new RunStoppedError("timeout");
  const messages = [true, false].map((asked) => toStartError(timeout, { asked }).message);
  assertEquals(messages, [
    "no model accepted within the agent's wallClockMs",
    "the agent's wallClockMs was over before any model was asked",
  ]);
});
