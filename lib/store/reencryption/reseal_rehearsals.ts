import { contentContexts } from "../encryption/content_cipher.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { rehearsedRunRecordSchema } from "../trials/rehearsal_record.ts";
import { parseRecord } from "../values/record.ts";
import type { ResealDeps } from "./reseal_run_logs.ts";

/** Encrypts what rehearsals made of runs with the current key. */
export function resealRehearsals({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "rehearsed runs",
    prefix: keys.allRehearsedRuns(),
    async *reseal(entry) {
      const run = parseRecord(rehearsedRunRecordSchema, entry)!;
      const [tenant, runId, id] = entry.key.slice(1).map(String) as [string, string, string];
      const context = contentContexts.rehearsedRun(tenant, runId, id);
      const sealed = await content.reseal(run.sealed, context);
      if (sealed === undefined) return;
      const expireIn = Math.max(1, run.exp - now());
      yield { entry, write: (step) => step.set(entry.key, { ...run, sealed }, { expireIn }) };
    },
  };
}
