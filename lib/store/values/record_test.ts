import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { z } from "zod";
import { CorruptRecordError, parseRecord, retryUntilCommitted } from "./record.ts";

const schema = z.object({ v: z.literal(1), email: z.email() });

function entry(value: unknown): Deno.KvEntryMaybe<unknown> {
  return { key: ["users", "tenant", "private id"], value, versionstamp: "00" };
}

Deno.test("parseRecord: returns undefined for a missing entry, and the value of a valid one", () => {
  const absent = { key: ["users"], value: null, versionstamp: null };
  assertEquals(parseRecord(schema, absent), undefined);
  const record = { v: 1, email: "a@example.com" };
  assertEquals(parseRecord(schema, entry(record)), { v: 1, email: "a@example.com" });
});

Deno.test("parseRecord: the error names kind and path, but neither value nor owner", () => {
  const broken = entry({ v: 2, email: "not an address" });
  const error = assertThrows(() => parseRecord(schema, broken), CorruptRecordError);
  assertEquals(error.message, "stored record users is not readable at: v, email");
});

Deno.test("retryUntilCommitted: repeats until an attempt commits", async () => {
  const outcomes = [undefined, undefined, null];
  const attempt = () => Promise.resolve(outcomes.shift());
  assertEquals(await retryUntilCommitted<null>(attempt, { what: "thing" }), null);
  assertEquals(outcomes, []);
});

Deno.test("retryUntilCommitted: gives up after its tries", async () => {
  let tried = 0;
  const attempt = () => Promise.resolve(void tried++);
  const contended = () => retryUntilCommitted(attempt, { what: "thing", tries: 3 });
  await assertRejects(contended, Error, "gave up on a contended record: thing");
  assertEquals(tried, 3);
});
