import { assertEquals } from "@std/assert";
import { encodeValue } from "../../../store/values/value_codec.ts";
import { expiryOf } from "./expiry_of.ts";

const NOW = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;

Deno.test("expiryOf: a day after what a record states, or the longest life of its kind, or nothing", () => {
  const of = (key: Deno.KvKey, value: unknown) => expiryOf({ key, value: encodeValue(value) }, NOW);
  const session = { expiresAt: NOW + 5 + DAY, isLatest: true as const };
  assertEquals(of(["sessions", "t", "s"], { exp: NOW + 5 }), session);
  const call = { expiresAt: NOW + DAY, isLatest: true as const };
  assertEquals(of(["waiting_calls", "t", "r", "c"], { expiresAt: NOW }), call);
  const uploads = { expiresAt: NOW + 2 * DAY, isLatest: true as const };
  assertEquals(of(["session_uploads", "t", "s"], { v: 1 }), uploads);
  // An expired API key stays, as a record of what it was.
  assertEquals(of(["api_keys", "t", "k"], { expiresAt: NOW + 5 }), {});
  // When a key was last used is asked for months later.
  assertEquals(of(["api_key_windows", "t", "k"], { v: 1, all: [NOW] }), {});
  assertEquals(of(["agents", "t", "a"], { exp: NOW + 5 }), {});
  const latest = { expiresAt: NOW + 400 * DAY, isLatest: true as const };
  assertEquals(of(["usage_rows", "t", "d", "a", 0], { v: 1 }), latest);
  // Of earlier releases, which stated nothing.
  const entry = { expiresAt: NOW - 5 * DAY + 400 * DAY, isLatest: true as const };
  for (const key of [["audit_entries", "t"], ["audit_entries_by_filter", "t", "agent *"]]) {
    assertEquals(of([...key, NOW - 5 * DAY, "id"], { v: 1 }), entry);
  }
  const chunk = expiryOf({ key: ["run_chunks", "t", "r", 0], value: new Uint8Array(8) }, NOW);
  assertEquals(chunk, { expiresAt: NOW + 366 * DAY, isLatest: true });
});
