import { z } from "zod";
import type { Runtime } from "../../platform/runtime.ts";
import { MEMORY_BOUNDS } from "../../schemas/memory.ts";
import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import { keys, type MemoryName } from "../keys/keys.ts";
import { bytesSchema } from "../values/chunks.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

const DAY_MS = 86_400_000;

/** At most 50 facts of 300 characters: 52 KB at most, which one value of the store takes. */
export const memoryRecordSchema = z.object({
  v: z.literal(1),
  sealed: bytesSchema,
  /** When the last of its facts expires, milliseconds. */
  exp: z.int(),
});

const factsSchema = z.array(z.object({
  id: z.string(),
  text: z.string(),
  createdAt: z.int(),
  updatedAt: z.int(),
  exp: z.int(),
}));
/** A fact about a visitor; times in milliseconds. */
export type StoredFact = z.infer<typeof factsSchema>[number];

/** The run that remembers, and for how many days its agent stores what is said. */
export interface RememberingRun {
  runId: string;
  days: number;
}

/**
 * `full`: the most facts are stored; `unknown`: no fact has the id; `gone`: the run has ended, its agent is
 * deleted, or what is stored cannot be decrypted.
 */
export type RememberResult = { fact: StoredFact } | { rejected: "full" | "unknown" | "gone" };

/**
 * What agents remember about visitors: one encrypted record for each visitor and agent, changed by
 * check-and-set, so that the number of facts is exact for any number of writers. A fact is stored for as long as the
 * agent stores conversations, counted from its last change.
 */
export class MemoryStore {
  readonly #kv: Deno.Kv;
  readonly #content: ContentCipher;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(
    kv: Deno.Kv,
    { content, runtime }: { content: ContentCipher; runtime: Pick<Runtime, "now" | "uuid"> },
  ) {
    this.#kv = kv;
    this.#content = content;
    this.#runtime = runtime;
  }

  /** Oldest first, in one read; `undefined` if they cannot be decrypted. */
  async list(name: MemoryName): Promise<StoredFact[] | undefined> {
    return await this.#factsOf(name, await this.#kv.get(keys.visitorMemory(name)));
  }

  /**
   * Adds a fact, or replaces the one with this id. Nothing is stored for a run that has ended or an agent
   * that is deleted: an erasure ends the visitor's runs before it deletes what they have stored.
   */
  async remember(
    name: MemoryName,
    { runId, days, text, replaces }: RememberingRun & {
      text: string;
      replaces?: string | undefined;
    },
  ): Promise<RememberResult> {
    const alive = [keys.activeRun(name.tenant, runId), keys.agent(name.tenant, name.agentId)];
    const edit = (facts: readonly StoredFact[]) => {
      const now = this.#runtime.now();
      const times = { updatedAt: now, exp: now + days * DAY_MS };
      const known = facts.find((fact) =>
        replaces === undefined ? fact.text === text : fact.id === replaces
      );
      if (known === undefined && replaces !== undefined) return { result: rejected("unknown") };
      if (known === undefined && facts.length >= MEMORY_BOUNDS.facts) {
        return { result: rejected("full") };
      }
      const fact = { ...(known ?? { id: this.#runtime.uuid(), createdAt: now }), text, ...times };
      const others = facts.filter((one) => one !== known);
      return {
        facts: known === undefined ? [...others, fact] : replaced(facts, fact),
        result: { fact },
      };
    };
    return await this.#change<RememberResult>(name, { alive, edit }) ?? rejected("gone");
  }

  /** Changes a fact's text; false if there is none with this id. */
  async edit(name: MemoryName, id: string, text: string): Promise<boolean> {
    return await this.#change(name, {
      edit: (facts) => {
        const known = facts.find((fact) => fact.id === id);
        if (known === undefined) return { result: false };
        const now = this.#runtime.now();
        const exp = now + (known.exp - known.updatedAt);
        return { facts: replaced(facts, { ...known, text, updatedAt: now, exp }), result: true };
      },
    }) ?? false;
  }

  /** Deletes a fact; false if there is none with this id. */
  async forget(name: MemoryName, id: string): Promise<boolean> {
    return await this.#change(name, {
      edit: (facts) => {
        const left = facts.filter((fact) => fact.id !== id);
        return left.length < facts.length ? { facts: left, result: true } : { result: false };
      },
    }) ?? false;
  }

  /** Deletes all facts, also those that cannot be decrypted. `record` adds to the step. */
  clear(name: MemoryName, record?: (step: Deno.AtomicOperation) => void): Promise<void> {
    return deleteMemory(this.#kv, name, record);
  }

  /** `undefined` if one of the keys that must exist does not, or what is stored cannot be decrypted. */
  async #change<T>(
    name: MemoryName,
    { alive = [], edit }: {
      alive?: readonly Deno.KvKey[];
      edit: (facts: readonly StoredFact[]) => { facts?: readonly StoredFact[]; result: T };
    },
  ): Promise<T | undefined> {
    const key = keys.visitorMemory(name);
    const { done } = await retryUntilCommitted(async () => {
      const [entry, ...guards] = await this.#kv.getMany<unknown[]>([key, ...alive]);
      if (guards.some(({ versionstamp }) => versionstamp === null)) return { done: undefined };
      const before = await this.#factsOf(name, entry!);
      if (before === undefined) return { done: undefined };
      const { facts, result } = edit(before);
      if (facts === undefined) return { done: result };
      const step = this.#kv.atomic().check(entry!, ...guards);
      this.#write(step, name, facts);
      return (await step.commit()).ok ? { done: result } : undefined;
    }, { what: "memory of a visitor" });
    return done;
  }

  #write(step: Deno.AtomicOperation, name: MemoryName, facts: readonly StoredFact[]): void {
    const [key, index] = [keys.visitorMemory(name), keys.memoryByAgent(name)];
    if (facts.length === 0) return void step.delete(key).delete(index);
    const bytes = new TextEncoder().encode(JSON.stringify(facts));
    const sealed = this.#content.sealSync(bytes, contentContexts.visitorMemory(name));
    const exp = Math.max(...facts.map((fact) => fact.exp));
    const expireIn = Math.max(1, exp - this.#runtime.now());
    step.set(key, { v: 1, sealed, exp }, { expireIn }).set(index, name.visitor, { expireIn });
  }

  async #factsOf(
    name: MemoryName,
    entry: Deno.KvEntryMaybe<unknown>,
  ): Promise<StoredFact[] | undefined> {
    const record = parseRecord(memoryRecordSchema, entry);
    if (record === undefined) return [];
    try {
      const bytes = await this.#content.unseal(record.sealed, contentContexts.visitorMemory(name));
      const facts = factsSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
      return facts.filter(({ exp }) => exp > this.#runtime.now());
    } catch (error) {
      // The cipher has reported it.
      if (error instanceof UnreadableContentError) return undefined;
      throw error;
    }
  }
}

/** Deletes what a deleted agent remembered. */
export async function deleteMemoriesOfAgent(
  kv: Deno.Kv,
  { tenant, agentId }: Pick<MemoryName, "tenant" | "agentId">,
): Promise<void> {
  for await (const { key } of kv.list({ prefix: keys.memoriesByAgent(tenant, agentId) })) {
    await deleteMemory(kv, { tenant, agentId, visitor: String(key[3]) });
  }
}

export async function deleteMemory(
  kv: Deno.Kv,
  name: MemoryName,
  record: (step: Deno.AtomicOperation) => void = () => {},
): Promise<void> {
  const step = kv.atomic().delete(keys.visitorMemory(name)).delete(keys.memoryByAgent(name));
  record(step);
  await step.commit();
}

function replaced(facts: readonly StoredFact[], fact: StoredFact): StoredFact[] {
  return facts.map((one) => one.id === fact.id ? fact : one);
}

function rejected(why: "full" | "unknown" | "gone"): RememberResult {
  return { rejected: why };
}
