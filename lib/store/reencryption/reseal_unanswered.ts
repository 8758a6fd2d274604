import type { z } from "zod";
import { contentContexts } from "../encryption/content_cipher.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { askedAgainSchema } from "../unanswered/asked_again_record.ts";
import { unansweredRecordSchema } from "../unanswered/unanswered_record.ts";
import { parseRecord } from "../values/record.ts";
import type { ResealDeps } from "./reseal_run_logs.ts";

/** Encrypts questions without a good answer with the current key, and the answers to them. */
export function resealUnanswered({ content, now }: ResealDeps): ResealTask[] {
  const kinds = [
    ["unanswered questions", keys.allUnanswered(), unansweredRecordSchema, "unanswered"],
    ["questions asked again", keys.allAskedAgain(), askedAgainSchema, "askedAgain"],
  ] as const;
  return kinds.map(([kind, prefix, schema, context]): ResealTask => ({
    kind,
    prefix,
    async *reseal(entry) {
      const record = parseRecord(schema as z.ZodType<{ sealed: Uint8Array; exp: number }>, entry)!;
      const [tenant, runId] = entry.key.slice(1).map(String) as [string, string];
      const sealed = await content.reseal(record.sealed, contentContexts[context](tenant, runId));
      if (sealed === undefined) return;
      const expireIn = Math.max(1, record.exp - now());
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealed }, { expireIn }) };
    },
  }));
}
