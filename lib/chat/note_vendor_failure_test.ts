import { assertEquals } from "@std/assert";
import type { AttentionStore } from "../storage/attention_store.ts";
import { noteVendorFailure } from "./note_vendor_failure.ts";

const FIRST = { provider: "vendor_a", model: "mid" } as const;
const SECOND = { provider: "vendor_b", model: "small" } as const;

function noted(...[facts, end]: [typeof FIRST, Parameters<typeof noteVendorFailure>[2]]) {
  const notes: string[] = [];
  const note: AttentionStore["note"] = (tenant, kind, { name, detail }) => {
    notes.push([tenant, kind, name, detail].join(" "));
  };
  noteVendorFailure({ note }, { tenant: "t", ...facts }, end);
  return notes;
}

Deno.test("noteVendorFailure: a vendor that failed, and one that another answered for", () => {
  assertEquals(noted(FIRST, FIRST), []);
  assertEquals(noted(FIRST, { ...FIRST, errorCode: "budget_exceeded" }), []);
  assertEquals(noted(FIRST, { ...FIRST, errorCode: "provider_timeout" }), [
    "t vendor_failed vendor_a/mid provider_timeout",
  ]);
  assertEquals(noted(FIRST, { ...SECOND, errorCode: "provider_error" }), [
    "t vendor_failed vendor_a/mid fallback",
    "t vendor_failed vendor_b/small provider_error",
  ]);
});
