import { z } from "zod";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

/** How long a finished erasure can be asked about. */
const STATUS_TTL_MS = 30 * 86_400_000;

const pendingSchema = z.object({
  v: z.literal(1),
  /** Of the erasure, not of the visitor. */
  id: z.string(),
  requestedAt: z.int(),
  /** Runs that were active: what they have stored is deleted once more when they have ended. */
  runs: z.array(z.string()),
});

const statusSchema = z.object({
  v: z.literal(1),
  id: z.string(),
  requestedAt: z.int(),
  finishedAt: z.int().optional(),
});
/** Times in milliseconds. */
export type ErasureStatus = Omit<z.infer<typeof statusSchema>, "v">;

/** Whose data is being deleted: a visitor's hash. */
export interface VisitorName {
  tenant: string;
  visitor: string;
}

/**
 * Erasures of visitors. While one is in progress its record has the visitor's hash and keeps new sessions
 * out; afterwards only its state is stored, which does not say whose it was.
 */
export class ErasureStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** Begins an erasure, or finds the one in progress; returns its id. */
  async begin({ tenant, visitor }: VisitorName): Promise<string> {
    const key = keys.visitorErasure(tenant, visitor);
    return await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const known = parseRecord(pendingSchema, entry);
      if (known !== undefined) return known.id;
      const status = { v: 1, id: this.#runtime.uuid(), requestedAt: this.#runtime.now() };
      const step = this.#kv.atomic().check(entry).set(key, { ...status, runs: [] })
        .set(keys.erasure(tenant, status.id), status);
      return (await step.commit()).ok ? status.id : undefined;
    }, { what: "erasure" });
  }

  /** The id of the erasure in progress. */
  async idOfPending({ tenant, visitor }: VisitorName): Promise<string | undefined> {
    const entry = await this.#kv.get(keys.visitorErasure(tenant, visitor));
    return parseRecord(pendingSchema, entry)?.id;
  }

  /** The erasures in progress, of all tenants. */
  async pending(): Promise<VisitorName[]> {
    const found: VisitorName[] = [];
    for await (const { key } of this.#kv.list({ prefix: keys.visitorErasures() })) {
      found.push({ tenant: String(key[1]), visitor: String(key[2]) });
    }
    return found;
  }

  /** Adds runs to those of the erasure; returns all of them, `undefined` if it is not in progress. */
  async noteRuns(
    { tenant, visitor }: VisitorName,
    runIds: readonly string[],
  ): Promise<readonly string[] | undefined> {
    const key = keys.visitorErasure(tenant, visitor);
    const { runs } = await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const pending = parseRecord(pendingSchema, entry);
      if (pending === undefined) return { runs: undefined };
      const runs = [...new Set([...pending.runs, ...runIds])];
      if (runs.length === pending.runs.length) return { runs };
      const step = this.#kv.atomic().check(entry).set(key, { ...pending, runs });
      return (await step.commit()).ok ? { runs } : undefined;
    }, { what: "erasure" });
    return runs;
  }

  /** Deletes the visitor's hash and marks the erasure as finished; nothing if it is already. */
  async finish({ tenant, visitor }: VisitorName): Promise<void> {
    const key = keys.visitorErasure(tenant, visitor);
    await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const pending = parseRecord(pendingSchema, entry);
      if (pending === undefined) return true;
      const { runs: _runs, ...status } = pending;
      const finished = { ...status, finishedAt: this.#runtime.now() };
      const step = this.#kv.atomic().check(entry).delete(key)
        .set(keys.erasure(tenant, status.id), finished, { expireIn: STATUS_TTL_MS });
      return (await step.commit()).ok || undefined;
    }, { what: "erasure" });
  }

  async status(tenant: string, id: string): Promise<ErasureStatus | undefined> {
    return parseRecord(statusSchema, await this.#kv.get(keys.erasure(tenant, id)));
  }
}
