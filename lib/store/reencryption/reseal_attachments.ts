import { attachmentRecordSchema } from "../attachments/attachment_record.ts";
import { contentContexts } from "../encryption/content_cipher.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import { chunkName, type ResealDeps } from "./reseal_run_logs.ts";

/** Encrypts the files, texts and names of attachments with the current key. */
export function resealAttachments(deps: ResealDeps): ResealTask[] {
  const { attachmentChunk, attachmentTextChunk } = contentContexts;
  return [
    names(deps),
    chunks(deps, { prefix: keys.allAttachmentChunks(), contextOf: attachmentChunk }),
    chunks(deps, { prefix: keys.allAttachmentTextChunks(), contextOf: attachmentTextChunk }),
  ];
}

function names({ content }: ResealDeps): ResealTask {
  return {
    kind: "attachments",
    prefix: keys.allAttachments(),
    async *reseal(entry) {
      const record = parseRecord(attachmentRecordSchema, entry)!;
      const context = contentContexts.attachmentName(String(entry.key[1]), record.id);
      const name = await content.reseal(record.name, context);
      if (name === undefined) return;
      yield { entry, write: (step) => step.set(entry.key, { ...record, name }) };
    },
  };
}

function chunks(
  { content }: ResealDeps,
  { prefix, contextOf }: {
    prefix: Deno.KvKey;
    contextOf: (tenant: string, id: string, n: number) => (string | number)[];
  },
): ResealTask {
  return {
    kind: "parts of attachments",
    prefix,
    async *reseal(entry) {
      if (!(entry.value instanceof Uint8Array)) return;
      const chunk = await content.reseal(entry.value, contextOf(...chunkName(entry)));
      if (chunk !== undefined) {
        yield { entry, write: (step) => step.set(entry.key, chunk) };
      }
    },
  };
}
