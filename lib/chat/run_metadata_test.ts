import { assert, assertEquals } from "@std/assert";
import type { EgressCall } from "../egress/egress_error.ts";
import { runMetadata } from "./run_metadata.ts";

function callOf(host: string): EgressCall {
  return { host, method: "GET", bytes: 0, ms: 1, refused: `the host ${host} is far`, hop: 0 };
}

Deno.test("runMetadata: nothing is kept of nothing", () => {
  assertEquals(runMetadata({ dropped: 0, ledger: [], notes: [] }), {});
});

Deno.test("runMetadata: the first calls and notes are kept as they are", () => {
  const [ledger, notes] = [[callOf("a.example")], ["crm: a note"]];
  const kept = runMetadata({ dropped: 2, ledger, notes });
  assertEquals(kept, { droppedMessages: 2, egress: ledger, notes });
  const many = Array.from({ length: 150 }, (_, n) => callOf(`${n}.example`));
  assertEquals(runMetadata({ dropped: 0, ledger: many, notes: [] }).egress, many.slice(0, 100));
});

Deno.test("runMetadata: however long the names are, a record has room for them", () => {
  const ledger = Array.from({ length: 100 }, () => callOf("a".repeat(250)));
  const notes = Array.from({ length: 1_024 }, (_, n) => `crm: tool ${n} is left out: its name`);
  const kept = runMetadata({ dropped: 1, ledger, notes });
  assert(kept.egress!.length > 20 && kept.notes!.length > 100);
  assert(JSON.stringify(kept).length < 36_000);
});
