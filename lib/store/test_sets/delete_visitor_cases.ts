import { keys } from "../keys/keys.ts";
import type { VisitorName } from "../visitors/erasure_store.ts";

type StoredCase = { visitor?: string; bytes?: number } | undefined;
type StoredSet = { cases: number; caseBytes: number; casesRevision: number };

/**
 * Deletes the test cases that were made of what a visitor had asked, and their results in all runs. Records
 * are not validated: one that no version can read must be deleted too. False if some are left.
 */
export async function deleteVisitorCases(
  kv: Deno.Kv,
  { tenant, visitor }: VisitorName,
  isDue: () => boolean,
): Promise<boolean> {
  for await (const { key } of kv.list({ prefix: keys.testSets(tenant) })) {
    const set = String(key.at(-1));
    for await (const entry of kv.list<StoredCase>({ prefix: keys.testCases(tenant, set) })) {
      if (entry.value?.visitor !== visitor) continue;
      if (isDue()) return false;
      // The case last, so that an interrupted deletion finds its results again.
      await deleteResults(kv, { tenant, set, caseId: String(entry.key.at(-1)) });
      await deleteCase(kv, { tenant, set, key: entry.key });
    }
  }
  return true;
}

async function deleteResults(
  kv: Deno.Kv,
  { tenant, set, caseId }: { tenant: string; set: string; caseId: string },
): Promise<void> {
  for await (const { key } of kv.list({ prefix: keys.testRuns(tenant, set) })) {
    const prefix = keys.testResults(tenant, String(key.at(-1)));
    for await (const result of kv.list<{ caseId?: string }>({ prefix })) {
      if (result.value?.caseId === caseId) await kv.delete(result.key);
    }
  }
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
