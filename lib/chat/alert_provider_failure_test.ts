import { assertEquals } from "@std/assert";
import type { RunEnd } from "../store/runs/run_record.ts";
import type { SettledRun } from "./execute_run.ts";
import { alertProviderFailure } from "./alert_provider_failure.ts";

const FIRST = { provider: "vendor_a", model: "mid" } as const;
const SECOND = { provider: "vendor_b", model: "small" } as const;

/** The alerts for a run with this end. */
function noted(firstAsked: SettledRun["firstAttempted"], end: Partial<RunEnd>): string[] {
  const notes: string[] = [];
  const facts = { tenant: "t" } as SettledRun["facts"];
  const run = { facts, firstAttempted: firstAsked, end: end as RunEnd };
  alertProviderFailure({
    note: (...[tenant, kind, { name, detail }]) => {
      notes.push([tenant, kind, name, detail].join(" "));
    },
  }, run);
  return notes;
}

Deno.test("alertProviderFailure: reports a failed provider and one whose fallback answered", () => {
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

Deno.test("alertProviderFailure: a provider that was never tried has not failed", () => {
  assertEquals(noted(SECOND, SECOND), []);
  assertEquals(noted(undefined, { ...FIRST, errorCode: "budget_exceeded" }), []);
});
