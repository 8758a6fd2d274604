import { assert, assertEquals } from "@std/assert";
import type { EgressCall } from "../egress/egress_error.ts";
import { runMetadata } from "./run_metadata.ts";

const NONE = {
  droppedMessages: 0,
  truncation: { droppedMessages: 0, truncatedResults: 0, omittedTools: [] },
};

function callOf(host: string): EgressCall {
  return { host, method: "GET", bytes: 0, ms: 1, refused: `the host ${host} is far`, hop: 0 };
}

Deno.test("runMetadata: without details there are no fields", () => {
  assertEquals(runMetadata({ ...NONE, egressCalls: [], notes: [] }), {});
});

Deno.test("runMetadata: stores the first calls and notes unchanged", () => {
  const [egressCalls, notes] = [[callOf("a.example")], ["crm: a note"]];
  const kept = runMetadata({ ...NONE, droppedMessages: 2, egressCalls, notes });
  assertEquals(kept, { droppedMessages: 2, egress: egressCalls, notes });
  const many = Array.from({ length: 150 }, (_, n) => callOf(`${n}.example`));
  assertEquals(runMetadata({ ...NONE, egressCalls: many, notes: [] }).egress, many.slice(0, 100));
});

Deno.test("runMetadata: long names do not exceed the record", () => {
  const egressCalls = Array.from({ length: 100 }, () => callOf("a".repeat(250)));
  const notes = Array.from({ length: 1_024 }, (_, n) => `crm: tool ${n} is left out: its name`);
  const kept = runMetadata({ ...NONE, egressCalls, notes });
  assert(kept.egress!.length > 20 && kept.notes!.length > 100);
  assert(JSON.stringify(kept).length < 36_000);
});
