import { recordChange } from "@/lib/store/audit/audit_record.ts";
import type { Runtime } from "@/lib/platform/runtime.ts";

/** One commit takes 80 KiB of keys; an entry's four are about 700 bytes. */
const ENTRIES_PER_COMMIT = 80;

/** Fills a tenant's audit log with the same code that changes use. */
export async function seedAudit(
  kv: Deno.Kv,
  { tenant, runtime, entries }: { tenant: string; runtime: Runtime; entries: number },
): Promise<void> {
  for (let at = 0; at < entries; at += ENTRIES_PER_COMMIT) {
    const step = kv.atomic();
    for (let n = at; n < Math.min(entries, at + ENTRIES_PER_COMMIT); n++) {
      recordChange(step, runtime, {
        ...{ tenant, kind: "agent", action: "change" },
        target: { id: runtime.uuid(), name: `Assistant ${n}` },
        before: { systemPrompt: "You help visitors of a small shop.", temperature: n % 2 },
        after: { systemPrompt: "You help visitors of a small shop. Be brief.", temperature: 1 },
      });
    }
    await step.commit();
  }
}
