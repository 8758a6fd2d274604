import type { Runtime } from "../../platform/runtime.ts";
import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { deleteKeys, listKeys } from "../values/chunks.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import {
  feedEntrySchema,
  handoffEntrySchema,
  type HandoffHead,
  handoffHeadSchema,
  type NumberedEntry,
  queueKey,
} from "./handoff_record.ts";
import { decideHandoff, type HandoffConflict, type HandoffEvent } from "./handoff_transition.ts";
import { type HandoffWrite, writeHandoff } from "./write_handoff.ts";

/** Typing is shown this long, milliseconds. */
export const TYPING_TTL_MS = 8_000;
/** Typing is written at most this often, milliseconds. */
const TYPING_INTERVAL_MS = 3_000;

export interface HandoffStoreDeps {
  runtime: Pick<Runtime, "now" | "uuid">;
  content: ContentCipher;
}

/** The hand-off after an event, or why the event does not apply. */
export type HandoffResult = { head: HandoffHead; changed: boolean } | HandoffConflict;

export interface ChangeOptions {
  /** What a first request needs; without it a hand-off must exist. */
  created?: Omit<HandoffWrite["created"], "feed">;
  /** Entries of the store that must be unchanged when the event is stored. */
  guards?: readonly Deno.AtomicCheck[];
  /** Adds to the step that stores the event, such as an audit record. */
  extend?: (step: Deno.AtomicOperation, head: HandoffHead) => void;
}

/** A guard of a change is no longer as it was. */
export class GuardChangedError extends Error {
  override name = "GuardChangedError";
}

/** Hand-offs of all tenants and their feeds. A change and its entries are one commit, in exact order. */
export class HandoffStore {
  readonly #kv: Deno.Kv;
  readonly #deps: HandoffStoreDeps;

  constructor(kv: Deno.Kv, deps: HandoffStoreDeps) {
    this.#kv = kv;
    this.#deps = deps;
  }

  async find(name: ConversationName): Promise<HandoffHead | undefined> {
    return this.#readable(parseRecord(handoffHeadSchema, await this.#kv.get(keys.handoff(name))));
  }

  /** The hand-offs in conversations with this id, the oldest request first. */
  async findById(tenant: string, id: string): Promise<HandoffHead[]> {
    const found: HandoffHead[] = [];
    for await (const entry of this.#kv.list({ prefix: keys.handoffsById(tenant, id) })) {
      const head = this.#readable(parseRecord(handoffHeadSchema, entry));
      if (head !== undefined) found.push(head);
    }
    return found.sort((a, b) => a.requestedAt - b.requestedAt);
  }

  /** Applies an event by check-and-set: of two that exclude each other, one meets a conflict. */
  async change(
    name: ConversationName,
    event: HandoffEvent,
    { created, guards = [], extend }: ChangeOptions = {},
  ): Promise<HandoffResult> {
    const { runtime, content } = this.#deps;
    const key = keys.handoff(name);
    return await retryUntilCommitted<HandoffResult>(async () => {
      const entry = await this.#kv.get(key);
      const before = this.#readable(parseRecord(handoffHeadSchema, entry));
      if (before === undefined && created === undefined) return { conflict: "none" };
      const now = runtime.now();
      const change = decideHandoff(before, event, now);
      if ("conflict" in change) return change;
      if ("unchanged" in change) return { head: before!, changed: false };
      const step = this.#kv.atomic().check(entry, ...guards);
      const fresh = { feed: runtime.uuid(), days: 1, ...created };
      const head = writeHandoff(step, { name, before, change, now, content, created: fresh });
      extend?.(step, head);
      if ((await step.commit()).ok) return { head, changed: true };
      await this.#requireUnchanged(guards);
      return undefined;
    }, { what: "hand-off" });
  }

  /** Entries from number `from` on, in order; those that cannot be decrypted are left out. */
  async entries(
    tenant: string,
    feed: string,
    { from = 1, limit, reverse = false }: { from?: number; limit?: number; reverse?: boolean } = {},
  ): Promise<NumberedEntry[]> {
    const selector = {
      prefix: keys.handoffEntries(tenant, feed),
      start: keys.handoffEntry(tenant, feed, from),
    };
    const options = { reverse, ...limit !== undefined && { limit } };
    const found: NumberedEntry[] = [];
    for await (const entry of this.#kv.list(selector, options)) {
      const { at, sealed, exp } = parseRecord(handoffEntrySchema, entry)!;
      if (exp <= this.#deps.runtime.now()) continue;
      const n = Number(entry.key.at(-1));
      const content = await this.#unseal(sealed, { tenant, feed, n });
      if (content !== undefined) found.push({ ...content, n, at });
    }
    return found;
  }

  /** The hand-offs that people should look at, the longest waiting first. */
  async queue(tenant: string, limit: number): Promise<HandoffHead[]> {
    const prefix = keys.handoffQueue(tenant);
    const found: HandoffHead[] = [];
    for await (const { value } of this.#kv.list<[string, string, string]>({ prefix }, { limit })) {
      const [id, agentId, page] = value;
      const head = await this.find({ tenant, id, agentId, page });
      if (head?.queuedAt !== undefined) found.push(head);
    }
    return found;
  }

  /** Records that someone types, unless the hand-off is gone; repeated within 3 s it writes nothing. */
  async recordTyping(name: ConversationName, who: "visitor" | "person"): Promise<void> {
    const key = keys.handoffTyping(name, who);
    const now = this.#deps.runtime.now();
    const [typed, head] = await this.#kv.getMany<[number, unknown]>([key, keys.handoff(name)]);
    const { value } = typed;
    if (head.versionstamp === null) return;
    if (value !== null && now - value >= 0 && now - value < TYPING_INTERVAL_MS) return;
    // If the hand-off changes meanwhile, the next key stroke is recorded.
    await this.#kv.atomic().check(head).set(key, now, { expireIn: TYPING_TTL_MS }).commit();
  }

  #readable(head: HandoffHead | undefined): HandoffHead | undefined {
    return head !== undefined && head.exp > this.#deps.runtime.now() ? head : undefined;
  }

  async #unseal(
    sealed: Uint8Array,
    { tenant, feed, n }: { tenant: string; feed: string; n: number },
  ) {
    try {
      const context = contentContexts.handoffEntry(tenant, feed, n);
      const bytes = await this.#deps.content.unseal(sealed, context);
      return feedEntrySchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
    } catch (error) {
      // The cipher has reported it. One such entry must not hide the others.
      if (error instanceof UnreadableContentError) return undefined;
      throw error;
    }
  }

  async #requireUnchanged(guards: readonly Deno.AtomicCheck[]): Promise<void> {
    for (const { key, versionstamp } of guards) {
      if ((await this.#kv.get(key)).versionstamp === versionstamp) continue;
      throw new GuardChangedError("what the change relied on is no longer as it was");
    }
  }
}

/** Deletes the hand-off of a conversation with its feed. Repeating an interrupted deletion completes it. */
export async function deleteHandoff(kv: Deno.Kv, name: ConversationName): Promise<void> {
  const { tenant } = name;
  await retryUntilCommitted(async () => {
    const entry = await kv.get(keys.handoff(name));
    const head = parseRecord(handoffHeadSchema, entry);
    if (head === undefined) return true;
    await deleteKeys(kv, await listKeys(kv, keys.handoffEntries(tenant, head.feed)));
    const step = kv.atomic().check(entry).delete(entry.key);
    const queued = queueKey(tenant, head);
    if (queued !== undefined) step.delete(queued);
    for (const who of ["visitor", "person"] as const) step.delete(keys.handoffTyping(name, who));
    // An entry that was added in between changed the head: the next attempt deletes it too.
    return (await step.commit()).ok || undefined;
  }, { what: "hand-off" });
}
