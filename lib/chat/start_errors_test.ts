import { assertEquals } from "@std/assert";
import { RunStoppedError } from "./run.ts";
import { toStartError } from "./start_errors.ts";

Deno.test("toStartError: a timeout blames the provider only if one was tried", () => {
  const timeout = new RunStoppedError("timeout");
  const messages = [true, false].map((attempted) => toStartError(timeout, { attempted }).message);
  assertEquals(messages, [
    "no model accepted within the agent's wallClockMs",
    "the agent's wallClockMs was over before any model was asked",
  ]);
});
