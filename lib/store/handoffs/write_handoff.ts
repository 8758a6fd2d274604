import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { type FeedEntry, type HandoffHead, queueKey, type StoredEntry } from "./handoff_record.ts";
import type { HandoffChange } from "./handoff_transition.ts";

const DAY_MS = 86_400_000;

/** What a change is written to: a step of the store, or a transaction. */
export interface HandoffWriter {
  /** Writes the head, which `before` was read from. */
  setHead?(key: Deno.KvKey, value: HandoffHead, options: { expireIn: number }): unknown;
  set(key: Deno.KvKey, value: unknown, options: { expireIn: number }): unknown;
  delete(key: Deno.KvKey): unknown;
}

export interface HandoffWrite {
  name: ConversationName;
  /** The stored head; absent before the first request. */
  before: HandoffHead | undefined;
  change: HandoffChange;
  now: number;
  content: ContentCipher;
  /** What a new head needs. */
  created: Pick<HandoffHead, "feed" | "days"> & Partial<Pick<HandoffHead, "origin" | "visitor">>;
}

/** The head after a change: its entries follow those of the stored head. */
export function nextHead({ name, before, change, now, created }: HandoffWrite): HandoffHead {
  const { id, agentId, page } = name;
  const { feed, days, origin, visitor } = before ?? created;
  const said = change.entries.filter(({ type }) => type === "person").length;
  const { state, contact } = change.head;
  const isQueued = state === "waiting" || state === "taken" || contact === "left";
  // The place in the queue is that of the request, and survives every other change.
  const isNewRequest = change.head.requestedAt !== before?.requestedAt;
  const queuedAt = isNewRequest ? change.head.requestedAt : before?.queuedAt ?? now;
  return {
    v: 1,
    ...{ feed, id, agentId, page },
    ...origin !== undefined && { origin },
    ...visitor !== undefined && { visitor },
    ...change.head,
    next: (before?.next ?? 1) + change.entries.length,
    said: (before?.said ?? 0) + said,
    ...isQueued && { queuedAt },
    days,
    exp: now + days * DAY_MS,
  };
}

/** Writes a change. The caller checks that `before` is current: the order of entries relies on that. */
export function writeHandoff(writer: HandoffWriter, write: HandoffWrite): HandoffHead {
  const { name, before, change, now, content } = write;
  const { tenant } = name;
  const head = nextHead(write);
  const expireIn = head.days * DAY_MS;
  change.entries.forEach((entry, i) => {
    const n = head.next - change.entries.length + i;
    const sealed = content.sealSync(
      encode(entry),
      contentContexts.handoffEntry(tenant, head.feed, n),
    );
    const stored: StoredEntry = { v: 1, at: now, sealed, exp: head.exp };
    writer.set(keys.handoffEntry(tenant, head.feed, n), stored, { expireIn });
  });
  const [queuedBefore, queued] = [before && queueKey(tenant, before), queueKey(tenant, head)];
  if (queuedBefore !== undefined && before?.queuedAt !== head.queuedAt) writer.delete(queuedBefore);
  if (queued !== undefined) {
    writer.set(queued, [name.id, name.agentId, name.page], { expireIn });
  }
  if (writer.setHead) writer.setHead(keys.handoff(name), head, { expireIn });
  else writer.set(keys.handoff(name), head, { expireIn });
  return head;
}

function encode(entry: FeedEntry): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(entry));
}
