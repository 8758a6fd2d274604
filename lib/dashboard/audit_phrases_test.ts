import { assertEquals } from "@std/assert";
import { AUDIT_KINDS } from "../store/audit/audit_entry.ts";
import { auditKindLabels, auditPhrase } from "./audit_phrases.ts";

Deno.test("auditPhrase: says what was done to what", () => {
  assertEquals(auditPhrase({ kind: "agent", action: "create" }), "Created agent");
  assertEquals(
    auditPhrase({ kind: "key", action: "end overlap" }),
    "Revoked old secret of API key",
  );
  assertEquals(auditPhrase({ kind: "slot", action: "create" }), "Connected model provider");
  assertEquals(auditPhrase({ kind: "sign-in", action: "failed" }), "Failed to sign in");
  // Of a later release.
  assertEquals(auditPhrase({ kind: "tenant", action: "archive" }), "Archive tenant");
});

Deno.test("auditKindLabels: every kind has its label, in the order of the records", () => {
  assertEquals(auditKindLabels().map(([kind]) => kind), [...AUDIT_KINDS]);
});
