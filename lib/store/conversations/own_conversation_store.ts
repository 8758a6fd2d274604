import type { Runtime } from "../../platform/runtime.ts";
import { SESSION_MESSAGE_CAP } from "../../schemas/limits.ts";
import { type ContentCipher, UnreadableContentError } from "../encryption/content_cipher.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { runRecordSchema } from "../runs/run_record.ts";
import type { Page, PageRequest } from "../values/page.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import type { IndexValue } from "./conversation_index.ts";
import {
  type Conversation,
  conversationHeadSchema,
  isReadable,
  runRowSchema,
} from "./conversation_record.ts";
import { sealTitle, unsealTitle } from "./conversation_title.ts";

/** What a store reads at once. */
const RUNS_PER_READ = 10;

/** Conversations as their visitors see them. */
export class OwnConversationStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;
  readonly #content: ContentCipher;

  constructor(kv: Deno.Kv, deps: { runtime: Pick<Runtime, "now">; content: ContentCipher }) {
    this.#kv = kv;
    this.#runtime = deps.runtime;
    this.#content = deps.content;
  }

  /**
   * A visitor's conversations with one agent on one page, the last updated first. `visitor` is its hash,
   * `page` that of the conversations' names.
   */
  async list(
    tenant: string,
    { visitor, limit, cursor, ...of }:
      & PageRequest
      & Pick<ConversationName, "agentId" | "page">
      & { visitor: string },
  ): Promise<Page<Conversation>> {
    const prefix = keys.conversationsByVisitor(tenant, visitor);
    const options = { reverse: true, batchSize: limit, ...cursor !== undefined && { cursor } };
    const entries = this.#kv.list<IndexValue>({ prefix }, options);
    const data: Conversation[] = [];
    let last: string | undefined;
    for await (const { value: [id, agent, page] } of entries) {
      if (agent !== of.agentId || page !== of.page) continue;
      const head = await this.find({ tenant, id, agentId: agent, page });
      if (head === undefined) continue;
      // Only now it is known that another page follows.
      if (data.length === limit) return { data, nextCursor: last! };
      data.push(head);
      last = entries.cursor;
    }
    return { data };
  }

  async find(name: ConversationName): Promise<Conversation | undefined> {
    const entry = await this.#kv.get(keys.conversation(name));
    const head = parseRecord(conversationHeadSchema, entry);
    return isReadable(head, this.#runtime.now()) ? head : undefined;
  }

  /** True if the session, which no visitor is named for, has started each of its runs. */
  async isOnlyOf(name: ConversationName, sessionId: string): Promise<boolean> {
    const selector = { prefix: keys.conversationRuns(name) };
    const limit = SESSION_MESSAGE_CAP + 1;
    const runIds: string[] = [];
    for await (const entry of this.#kv.list(selector, { limit })) {
      runIds.push(parseRecord(runRowSchema, entry)!.runId);
    }
    // More than any session sends.
    if (runIds.length === limit) return false;
    for (let first = 0; first < runIds.length; first += RUNS_PER_READ) {
      const some = runIds.slice(first, first + RUNS_PER_READ);
      const entries = await this.#kv.getMany(some.map((id) => keys.run(name.tenant, id)));
      const isOwn = entries.every((entry) => {
        return parseRecord(runRecordSchema, entry)?.source.id === sessionId;
      });
      if (!isOwn) return false;
    }
    return true;
  }

  /** The chosen title, or the one that its first run has stored; `undefined` if it is unreadable. */
  async titleOf(name: ConversationName, head: Conversation): Promise<string | undefined> {
    try {
      return await unsealTitle(this.#content, name, head);
    } catch (error) {
      if (error instanceof UnreadableContentError) return undefined;
      throw error;
    }
  }

  /** The renamed conversation; `undefined` if there is none. */
  async rename(name: ConversationName, title: string): Promise<Conversation | undefined> {
    const key = keys.conversation(name);
    const sealed = sealTitle(this.#content, name, title);
    const { renamed } = await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const head = parseRecord(conversationHeadSchema, entry);
      const now = this.#runtime.now();
      if (!isReadable(head, now)) return { renamed: undefined };
      const { autoTitle: _auto, ...rest } = head;
      const renamed: Conversation = sealed === undefined ? head : { ...rest, title: sealed };
      const step = this.#kv.atomic().check(entry).set(key, renamed, { expireIn: head.exp - now });
      return (await step.commit()).ok ? { renamed } : undefined;
    }, { what: "conversation title" });
    return renamed;
  }
}
