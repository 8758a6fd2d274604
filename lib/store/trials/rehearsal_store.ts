import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { deleteKeys } from "../values/chunks.ts";
import { type Page, type PageRequest, readEntryPage } from "../values/page.ts";
import { parseRecord } from "../values/record.ts";
import {
  type RehearsalRecord,
  rehearsalRecordSchema,
  type RehearsedRunRecord,
  rehearsedRunRecordSchema,
  type RehearsedWords,
  rehearsedWordsSchema,
} from "./rehearsal_record.ts";

/** A replayed run with its words; without them if they cannot be decrypted. */
export interface StoredRehearsedRun {
  run: RehearsedRunRecord;
  words: RehearsedWords | undefined;
}

type RehearsalName = { tenant: string; agentId: string; id: string };

/** Rehearsals of all tenants. What a rehearsal made of a run is deleted with that run. */
export class RehearsalStore {
  readonly #kv: Deno.Kv;
  readonly #content: ContentCipher;
  readonly #now: () => number;

  constructor(kv: Deno.Kv, deps: { content: ContentCipher; runtime: { now(): number } }) {
    this.#kv = kv;
    this.#content = deps.content;
    this.#now = () => deps.runtime.now();
  }

  async create(tenant: string, record: RehearsalRecord): Promise<void> {
    const key = keys.rehearsal(tenant, record.agentId, record.id);
    await this.#kv.set(key, record, { expireIn: this.#ttlOf(record) });
  }

  async find({ tenant, agentId, id }: RehearsalName): Promise<RehearsalRecord | undefined> {
    const entry = await this.#kv.get(keys.rehearsal(tenant, agentId, id));
    return this.#alive(parseRecord(rehearsalRecordSchema, entry));
  }

  /** Newest first. */
  list(
    { tenant, agentId }: Omit<RehearsalName, "id">,
    page: PageRequest,
  ): Promise<Page<RehearsalRecord>> {
    return readEntryPage(this.#kv, keys.rehearsals(tenant, agentId), {
      ...page,
      load: (entry) => Promise.resolve(this.#alive(parseRecord(rehearsalRecordSchema, entry))),
    });
  }

  /** Replaces the record; false if it was deleted meanwhile. */
  async update(tenant: string, record: RehearsalRecord): Promise<boolean> {
    const key = keys.rehearsal(tenant, record.agentId, record.id);
    for (;;) {
      const entry = await this.#kv.get(key);
      if (entry.versionstamp === null) return false;
      const step = this.#kv.atomic().check(entry).set(key, record, {
        expireIn: this.#ttlOf(record),
      });
      if ((await step.commit()).ok) return true;
    }
  }

  /** Adds replayed run number `n`, with the rehearsal as it is then; false if that was deleted. */
  async addRun(
    tenant: string,
    { record, n, run, words }: {
      record: RehearsalRecord;
      n: number;
      run: Omit<RehearsedRunRecord, "sealed">;
      words: RehearsedWords;
    },
  ): Promise<boolean> {
    const { id, agentId } = record;
    const key = keys.rehearsal(tenant, agentId, id);
    const context = contentContexts.rehearsedRun(tenant, run.runId, id);
    const bytes = new TextEncoder().encode(JSON.stringify(words));
    const sealed = await this.#content.seal(bytes, context);
    const expireIn = this.#ttlOf(run);
    for (;;) {
      const [head, ended] = await this.#kv.getMany([key, keys.run(tenant, run.runId)]);
      // Its conversation, or the rehearsal, was deleted while it was replayed.
      if (head!.versionstamp === null) return false;
      if (ended!.versionstamp === null) return await this.update(tenant, record);
      const step = this.#kv.atomic().check(head!, ended!)
        .set(key, record, { expireIn: this.#ttlOf(record) })
        .set(keys.rehearsalRun(tenant, id, n), run.runId, { expireIn })
        .set(keys.rehearsedRun(tenant, run.runId, id), { ...run, sealed }, { expireIn });
      if ((await step.commit()).ok) return true;
    }
  }

  /** The replayed runs from number `from` on; those of deleted conversations are left out. */
  async runs(
    { tenant, id }: Omit<RehearsalName, "agentId">,
    { from, limit }: { from: number; limit: number },
  ): Promise<{ runs: StoredRehearsedRun[]; next?: number }> {
    const prefix = keys.rehearsalRuns(tenant, id);
    const selector = { prefix, start: keys.rehearsalRun(tenant, id, from) };
    const runs: StoredRehearsedRun[] = [];
    for await (const entry of this.#kv.list<string>(selector, { batchSize: limit })) {
      if (runs.length === limit) return { runs, next: Number(entry.key.at(-1)) };
      const found = await this.#readRun({ tenant, id }, entry.value);
      if (found !== undefined) runs.push(found);
    }
    return { runs };
  }

  /** Deletes a rehearsal with everything of it; false if there is none. */
  async delete({ tenant, agentId, id }: RehearsalName): Promise<boolean> {
    const key = keys.rehearsal(tenant, agentId, id);
    const { versionstamp } = await this.#kv.get(key);
    if (versionstamp === null) return false;
    // First, so that nothing is added any more.
    await this.#kv.delete(key);
    const prefix = keys.rehearsalRuns(tenant, id);
    const entries = await Array.fromAsync(this.#kv.list<string>({ prefix }));
    await deleteKeys(
      this.#kv,
      entries.flatMap((entry) => [keys.rehearsedRun(tenant, entry.value, id), entry.key]),
    );
    return true;
  }

  async #readRun(
    { tenant, id }: Omit<RehearsalName, "agentId">,
    runId: string,
  ): Promise<StoredRehearsedRun | undefined> {
    const entry = await this.#kv.get(keys.rehearsedRun(tenant, runId, id));
    const run = this.#alive(parseRecord(rehearsedRunRecordSchema, entry));
    // A deletion of its conversation at the same moment may have missed it.
    const isKept = run && (await this.#kv.get(keys.run(tenant, runId))).versionstamp !== null;
    if (!isKept) return undefined;
    try {
      const context = contentContexts.rehearsedRun(tenant, runId, id);
      const text = new TextDecoder().decode(await this.#content.unseal(run.sealed, context));
      return { run, words: rehearsedWordsSchema.parse(JSON.parse(text)) };
    } catch (error) {
      if (error instanceof UnreadableContentError) return { run, words: undefined };
      throw error;
    }
  }

  #alive<T extends { exp: number }>(record: T | undefined): T | undefined {
    return record !== undefined && record.exp > this.#now() ? record : undefined;
  }

  #ttlOf({ exp }: { exp: number }): number {
    return Math.max(1, exp - this.#now());
  }
}
