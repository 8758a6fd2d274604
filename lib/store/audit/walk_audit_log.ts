import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import { type AuditLink, auditLinkSchema } from "./audit_chain.ts";

/** Entries that are chained later than others of their time; of more than these, only names are held. */
const MAX_HELD = 2_000;
const LINKS_PER_READ = 500;
const ENTRIES_PER_READ = 500;

/** A link with its stored entry, which may be gone; or an entry without a link, after all links. */
export type WalkedEntry =
  | { sequence: number; link: AuditLink; value: unknown }
  | UnlinkedEntry;

/** `at` is not a number if its key has none: nothing of this service wrote it. */
type UnlinkedEntry = { sequence?: undefined; at: number; id: string; value: unknown };

/**
 * Reads a log and its links side by side, in the order of the links: both are nearly in the order of
 * time. The memory that it takes does not depend on the length of the log. Values are as stored.
 */
export async function* walkAuditLog(
  kv: Deno.Kv,
  tenant: string,
  { after, until }: { after: number; until: number },
): AsyncGenerator<WalkedEntry> {
  const entries = new EntryReader(kv, tenant);
  const prefix = keys.auditLinks(tenant);
  const selector = { start: [...prefix, after + 1], end: [...prefix, until + 1] };
  for await (const row of kv.list(selector, { batchSize: LINKS_PER_READ })) {
    const link = parseRecord(auditLinkSchema, row)!;
    const value = await entries.take(link);
    yield { sequence: Number(row.key[2]), link, value };
  }
  yield* entries.rest();
}

/** Entries in the order of time, and those that were read but not taken. */
class EntryReader {
  readonly #kv: Deno.Kv;
  readonly #tenant: string;
  readonly #rows: AsyncIterator<Deno.KvEntry<unknown>>;
  #next: Deno.KvEntry<unknown> | undefined;
  #hasBegun = false;
  /** By time and id. A value that is too much to hold is `undefined` until it is read again. */
  readonly #held = new Map<string, unknown>();
  /** Rows whose keys are not those of entries. */
  readonly #strange: UnlinkedEntry[] = [];

  constructor(kv: Deno.Kv, tenant: string) {
    this.#kv = kv;
    this.#tenant = tenant;
    const prefix = keys.auditEntries(tenant);
    this.#rows = kv.list<unknown>({ prefix }, { batchSize: ENTRIES_PER_READ });
  }

  /** The value of an entry, `undefined` if it is gone or was taken. */
  async take({ at, id }: { at: number; id: string }): Promise<unknown> {
    if (!this.#hasBegun) await this.#advance();
    while (this.#next !== undefined && timeOf(this.#next) <= at) {
      const { key, value } = this.#next;
      const isAsked = key[2] === at && key[3] === id;
      await this.#advance();
      if (isAsked) return value;
      this.#hold(key, value);
    }
    return await this.#takeHeld(at, id);
  }

  async *rest(): AsyncGenerator<WalkedEntry> {
    for (const name of this.#held.keys()) {
      const [at, id] = [Number(name.split(" ")[0]), name.split(" ")[1]!];
      const value = await this.#takeHeld(at, id);
      if (value !== undefined) yield { at, id, value };
    }
    if (!this.#hasBegun) await this.#advance();
    for (; this.#next !== undefined; await this.#advance()) {
      const { key, value } = this.#next;
      yield { at: timeOf(this.#next), id: String(key[3]), value };
    }
    yield* this.#strange;
  }

  #hold(key: Deno.KvKey, value: unknown): void {
    const isFull = this.#held.size >= MAX_HELD;
    this.#held.set(`${String(key[2])} ${String(key[3])}`, isFull ? undefined : value);
  }

  async #takeHeld(at: number, id: string): Promise<unknown> {
    const name = `${at} ${id}`;
    if (!this.#held.has(name)) return undefined;
    const value = this.#held.get(name);
    this.#held.delete(name);
    if (value !== undefined) return value;
    return (await this.#kv.get(keys.auditEntry(this.#tenant, at, id))).value ?? undefined;
  }

  async #advance(): Promise<void> {
    this.#hasBegun = true;
    for (;;) {
      const { done, value } = await this.#rows.next();
      this.#next = done ? undefined : value;
      if (done || isEntryKey(value.key)) return;
      if (this.#strange.length < MAX_HELD) {
        this.#strange.push({ at: NaN, id: value.key.slice(2).join(" "), value: value.value });
      }
    }
  }
}

function isEntryKey(key: Deno.KvKey): boolean {
  return key.length === 4 && Number.isSafeInteger(key[2]) && typeof key[3] === "string";
}

function timeOf({ key }: Deno.KvEntry<unknown>): number {
  return Number(key[2]);
}
