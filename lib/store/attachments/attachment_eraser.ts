import type { Runtime } from "../../platform/runtime.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { deleteKeys, deletePrefixes, listKeys } from "../values/chunks.ts";
import { parseRecord } from "../values/record.ts";
import { attachmentRecordSchema, attachmentUseSchema, storedBytes } from "./attachment_record.ts";
import { attachmentStorageUsage } from "./attachment_usage.ts";

/** Attachments that one sweep looks at. */
const MAX_PER_SWEEP = 200;

type AttachmentName = { tenant: string; id: string };

/**
 * Deletes an attachment, first so that it cannot be found, then its content. An entry in the queue of
 * deletions stays until everything is gone, so that a sweep finishes what a crash interrupts. With
 * `expiredAt`, one that a conversation uses for longer is kept, and its entry moves to its new end.
 */
export async function eraseAttachment(
  kv: Deno.Kv,
  { tenant, id }: AttachmentName,
  { expiredAt }: { expiredAt?: number } = {},
): Promise<void> {
  const key = keys.attachment(tenant, id);
  const overdue = keys.attachmentDue(0, tenant, id);
  const change = await attachmentStorageUsage(kv).change(tenant, async (usage) => {
    const entry = await kv.get(key);
    const record = parseRecord(attachmentRecordSchema, entry);
    if (record === undefined) return "erased";
    const step = kv.atomic().check(entry).delete(keys.attachmentDue(record.due, tenant, id));
    const end = Math.max(record.exp, await lastUse(kv, { tenant, id }));
    if (expiredAt !== undefined && end > expiredAt) {
      step.set(key, { ...record, exp: end, due: end })
        .set(keys.attachmentDue(end, tenant, id), { v: 1 });
      return (await step.commit()).ok ? "kept" : undefined;
    }
    usage.add("attachmentBytes", -storedBytes(record));
    usage.writeTo(step.delete(key).set(overdue, { v: 1 }));
    return (await step.commit()).ok ? "erased" : undefined;
  });
  if (change === "kept") return;
  await deletePrefixes(kv, [
    keys.attachmentChunks(tenant, id),
    keys.attachmentTextChunks(tenant, id),
  ]);
  const uses = await listKeys(kv, keys.attachmentUses(tenant, id));
  const listed = uses.map((use) => keys.conversationAttachment(conversationOf(use), id));
  await deleteKeys(kv, [...listed, ...uses]);
  await kv.delete(overdue);
}

/** Completes the deletions of a tenant's attachments that a crash may have interrupted. */
export async function completeAttachmentDeletions(kv: Deno.Kv, tenant: string): Promise<void> {
  for (const key of await listKeys(kv, keys.begunAttachmentDeletions(tenant))) {
    await eraseAttachment(kv, { tenant, id: String(key.at(-1)) });
  }
}

/** The end of life of the last conversation that uses an attachment; 0 if none does. */
export async function lastUse(kv: Deno.Kv, { tenant, id }: AttachmentName): Promise<number> {
  let last = 0;
  for await (const entry of kv.list({ prefix: keys.attachmentUses(tenant, id) })) {
    last = Math.max(last, parseRecord(attachmentUseSchema, entry)!.exp);
  }
  return last;
}

function conversationOf(use: Deno.KvKey): ConversationName {
  const [, tenant, , id, agentId, page] = use as [string, string, string, string, string, string];
  return { tenant, id, agentId, page };
}

/**
 * Of a run that was not added to its conversation: if there is none, its attachments live like unused
 * ones. Those that another run has used since stay.
 */
export async function releaseAttachments(
  kv: Deno.Kv,
  conversation: ConversationName,
  { runId, ids }: { runId: string; ids: readonly string[] },
): Promise<void> {
  for (const id of ids) {
    const [use, head] = await kv.getMany([
      keys.attachmentUse(conversation, id),
      keys.conversation(conversation),
    ]);
    const isLast = parseRecord(attachmentUseSchema, use)?.runId === runId;
    if (!isLast || head.versionstamp !== null) continue;
    await kv.atomic().check(use, head).delete(use.key)
      .delete(keys.conversationAttachment(conversation, id)).commit();
  }
}

/** Deletes all attachments that a conversation has used; may be repeated after a crash. */
export async function eraseConversationAttachments(
  kv: Deno.Kv,
  conversation: ConversationName,
): Promise<void> {
  const { tenant } = conversation;
  for (const key of await listKeys(kv, keys.conversationAttachments(conversation))) {
    await eraseAttachment(kv, { tenant, id: String(key.at(-1)) });
    await kv.delete(key);
  }
}

/**
 * Deletes the attachments that have expired, and what interrupted uploads and deletions left behind.
 * Returns when the next one is due; `undefined` if there is none.
 */
export async function sweepAttachments(
  kv: Deno.Kv,
  runtime: Pick<Runtime, "now">,
): Promise<number | undefined> {
  const prefix = keys.attachmentsDue();
  let count = 0;
  for await (const { key } of kv.list({ prefix }, { limit: MAX_PER_SWEEP, batchSize: 50 })) {
    const [, at, tenant, id] = key as [string, number, string, string];
    const now = runtime.now();
    if (at > now) return at;
    await eraseAttachment(kv, { tenant, id }, { expiredAt: now });
    // What remains of an upload that never got a record.
    await kv.delete(key);
    count++;
  }
  return count === MAX_PER_SWEEP ? 0 : undefined;
}
