import { contentContexts } from "../encryption/content_cipher.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { handoffEntrySchema } from "../handoffs/handoff_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import { chunkName, type ResealDeps } from "./reseal_run_logs.ts";

/** Encrypts what people and visitors wrote in hand-offs with the current key. */
export function resealHandoffs({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "messages of hand-offs",
    prefix: keys.allHandoffEntries(),
    async *reseal(entry) {
      const stored = parseRecord(handoffEntrySchema, entry)!;
      const context = contentContexts.handoffEntry(...chunkName(entry));
      const sealed = await content.reseal(stored.sealed, context);
      if (sealed === undefined) return;
      const expireIn = Math.max(1, stored.exp - now());
      yield { entry, write: (step) => step.set(entry.key, { ...stored, sealed }, { expireIn }) };
    },
  };
}
