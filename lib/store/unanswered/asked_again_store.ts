import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { readMany } from "../values/chunks.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import {
  type AskedAgainRecord,
  askedAgainSchema,
  type AskedAgainWords,
  askedAgainWordsSchema,
  markSchema,
  type UnansweredMark,
} from "./asked_again_record.ts";

/** A question that was asked again, with the words of its answers if they can be decrypted. */
export interface AskedAgain {
  record: AskedAgainRecord;
  words: AskedAgainWords | undefined;
}

/** What people did about groups of unanswered questions. */
export class AskedAgainStore {
  readonly #kv: Deno.Kv;
  readonly #content: ContentCipher;
  readonly #now: () => number;

  constructor(kv: Deno.Kv, deps: { content: ContentCipher; runtime: { now(): number } }) {
    this.#kv = kv;
    this.#content = deps.content;
    this.#now = () => deps.runtime.now();
  }

  /** By the run that each was made for. */
  async marks(tenant: string): Promise<Map<string, UnansweredMark>> {
    const found = new Map<string, UnansweredMark>();
    for await (const entry of this.#kv.list({ prefix: keys.unansweredMarks(tenant) })) {
      const mark = parseRecord(markSchema, entry)!;
      if (mark.exp > this.#now()) found.set(String(entry.key.at(-1)), mark);
    }
    return found;
  }

  /** Replaces the mark of a group; nothing if the run was deleted meanwhile. */
  async setMark(
    { tenant, runId }: { tenant: string; runId: string },
    change: (mark: UnansweredMark | undefined) => UnansweredMark | undefined,
  ): Promise<void> {
    const key = keys.unansweredMark(tenant, runId);
    await retryUntilCommitted(async () => {
      const [entry, run] = await this.#kv.getMany([key, keys.run(tenant, runId)]);
      const next = change(parseRecord(markSchema, entry!));
      if (run!.versionstamp === null || next === undefined) return true;
      const expireIn = Math.max(1, next.exp - this.#now());
      const step = this.#kv.atomic().check(entry!, run!).set(key, next, { expireIn });
      return (await step.commit()).ok || undefined;
    }, { what: "mark of a question" });
  }

  /** Stores the answer to a question that was asked again; nothing if its run was deleted meanwhile. */
  async add(
    { tenant, runId }: { tenant: string; runId: string },
    { words, ...record }: Omit<AskedAgainRecord, "sealed"> & { words: AskedAgainWords },
  ): Promise<void> {
    const bytes = new TextEncoder().encode(JSON.stringify(words));
    const sealed = await this.#content.seal(bytes, contentContexts.askedAgain(tenant, runId));
    const run = await this.#kv.get(keys.run(tenant, runId));
    if (run.versionstamp === null) return;
    const expireIn = Math.max(1, record.exp - this.#now());
    await this.#kv.atomic().check(run)
      .set(keys.askedAgain(tenant, runId), { ...record, sealed }, { expireIn })
      .commit();
  }

  /** The latest answer to each of the questions, if they were asked again. */
  async find(tenant: string, runIds: readonly string[]): Promise<(AskedAgain | undefined)[]> {
    const entries = await readMany(this.#kv, runIds.map((id) => keys.askedAgain(tenant, id)));
    return await Promise.all(entries.map(async (entry, n) => {
      const record = parseRecord(askedAgainSchema, entry);
      if (record === undefined || record.exp <= this.#now()) return undefined;
      try {
        const context = contentContexts.askedAgain(tenant, runIds[n]!);
        const text = new TextDecoder().decode(await this.#content.unseal(record.sealed, context));
        return { record, words: askedAgainWordsSchema.parse(JSON.parse(text)) };
      } catch (error) {
        if (error instanceof UnreadableContentError) return { record, words: undefined };
        throw error;
      }
    }));
  }
}
