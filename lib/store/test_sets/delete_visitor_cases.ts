import { keys } from "../keys/keys.ts";
import { deleteKeys } from "../values/chunks.ts";
import type { VisitorName } from "../visitors/erasure_store.ts";

type StoredCase = { visitor?: string; bytes?: number } | undefined;
type StoredSet = { cases: number; caseBytes: number; casesRevision: number };

/**
 * Deletes the test cases that were made of what a visitor had asked, and all results of such cases, also of
 * those that somebody has deleted or whose set is gone. Records are not validated: one that no version can
 * read must be deleted too. False if some are left.
 */
export async function deleteVisitorCases(
  kv: Deno.Kv,
  { tenant, visitor }: VisitorName,
  isDue: () => boolean,
): Promise<boolean> {
  for await (
    const { key, value } of kv.list<StoredCase>({ prefix: keys.tenantTestCases(tenant) })
  ) {
    if (value?.visitor !== visitor) continue;
    if (isDue()) return false;
    await deleteCase(kv, { tenant, set: String(key.at(-2)), key });
  }
  // Last: without its case no result is added any more.
  for await (const { key } of kv.list({ prefix: keys.visitorTestResults(tenant, visitor) })) {
    if (isDue()) return false;
    const [run, n] = key.slice(-2) as [string, number];
    await deleteKeys(kv, [keys.testResult(tenant, run, n), key]);
  }
  return true;
}

async function deleteCase(
  kv: Deno.Kv,
  { tenant, set, key }: { tenant: string; set: string; key: Deno.KvKey },
): Promise<void> {
  for (;;) {
    const [head, entry] = await kv.getMany<[StoredSet, StoredCase]>([
      keys.testSet(tenant, set),
      key as string[],
    ]);
    if (entry.versionstamp === null) return;
    const step = kv.atomic().check(head).check(entry).delete(key);
    if (head.value !== null) {
      step.set(head.key, {
        ...head.value,
        cases: head.value.cases - 1,
        caseBytes: head.value.caseBytes - (entry.value?.bytes ?? 0),
        casesRevision: head.value.casesRevision + 1,
      });
    }
    if ((await step.commit()).ok) return;
  }
}
