import { z } from "zod";
import type { System } from "../system.ts";
import { keys } from "./keys.ts";
import { parseRecord, untilCommitted } from "./record.ts";

/** What people should know of: a page that may not embed an agent, a model vendor that fails. */
export type AttentionKind = "origin_refused" | "vendor_failed" | "conversations_full";

/** Written at most this often for one tenant and kind, however often it happens. */
const WRITE_EVERY_MS = 60_000;
/** What has not happened for this long is forgotten. */
const KEPT_MS = 24 * 60 * 60_000;
/** Names of one tenant and kind: strangers choose origins, so neither their number nor length is theirs. */
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 200;
/** Tenants and kinds that a process remembers between writes. */
const MAX_REMEMBERED = 1_000;
const TRIES = 3;

const itemSchema = z.object({
  /** An origin, or `provider/model`. */
  name: z.string(),
  /** The agent that was asked for last, or the code of the last failure. */
  detail: z.string(),
  count: z.int().positive(),
  /** Milliseconds. */
  firstAt: z.int(),
  lastAt: z.int(),
});
export type AttentionItem = z.infer<typeof itemSchema>;

const recordSchema = z.object({ v: z.literal(1), items: z.array(itemSchema) });

interface Remembered {
  tenant: string;
  kind: AttentionKind;
  /** Not written yet, by name. */
  items: Map<string, AttentionItem>;
  writtenAt: number;
  writing?: Promise<void> | undefined;
}

/**
 * Counters of what goes wrong without anybody of the tenant seeing it. Noting is free: the first of its
 * kind is written at once, what follows within the minute with the next write, or when it is asked for.
 */
export class AttentionStore {
  readonly #kv: Deno.Kv;
  readonly #system: Pick<System, "now">;
  readonly #remembered = new Map<string, Remembered>();

  constructor(kv: Deno.Kv, system: Pick<System, "now">) {
    this.#kv = kv;
    this.#system = system;
  }

  /** Never throws and is never waited for: a refusal must not cost more than the request refused. */
  note(tenant: string, kind: AttentionKind, what: { name: string; detail: string }): void {
    const now = this.#system.now();
    const remembered = this.#of(tenant, kind);
    const name = what.name.slice(0, MAX_NAME_LENGTH);
    const isDue = () => now - remembered.writtenAt >= WRITE_EVERY_MS;
    if (remembered.items.size >= MAX_NAMES && isDue()) void this.#write(remembered);
    const before = remembered.items.get(name);
    if (before === undefined && remembered.items.size >= MAX_NAMES) return;
    remembered.items.set(name, {
      ...{ name, detail: what.detail, lastAt: now },
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? now,
    });
    if (isDue()) void this.#write(remembered);
  }

  /** What happened in the last day, the latest first; by this process up to now. */
  async list(tenant: string, kind: AttentionKind): Promise<AttentionItem[]> {
    const remembered = this.#remembered.get(`${tenant} ${kind}`);
    await remembered?.writing;
    const stored = parseRecord(recordSchema, await this.#kv.get(keys.attention(tenant, kind)));
    const pending = remembered?.items.values() ?? [];
    return this.#merged(stored?.items ?? [], pending).sort((a, b) => b.lastAt - a.lastAt);
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    for (const remembered of this.#remembered.values()) {
      await remembered.writing;
      if (remembered.items.size > 0) await this.#write(remembered);
    }
  }

  #of(tenant: string, kind: AttentionKind): Remembered {
    const name = `${tenant} ${kind}`;
    const known = this.#remembered.get(name);
    if (known !== undefined) return known;
    const made: Remembered = { tenant, kind, items: new Map(), writtenAt: -Infinity };
    this.#remembered.set(name, made);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED) this.#remembered.delete(oldest!);
    return made;
  }

  /** A store that is away is asked again with the next note, a minute later. */
  #write(remembered: Remembered): Promise<void> {
    const { items } = remembered;
    remembered.items = new Map();
    remembered.writtenAt = this.#system.now();
    remembered.writing = this.#add(remembered, items).catch(() => {
      const all = [...items.values(), ...remembered.items.values()];
      remembered.items = new Map(this.#merged(all, []).map((item) => [item.name, item]));
    });
    return remembered.writing;
  }

  async #add(
    { tenant, kind }: Remembered,
    items: ReadonlyMap<string, AttentionItem>,
  ): Promise<void> {
    const key = keys.attention(tenant, kind);
    await untilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const stored = parseRecord(recordSchema, entry)?.items ?? [];
      const next = { v: 1, items: this.#merged(stored, items.values()) };
      const done = await this.#kv.atomic().check(entry).set(key, next, { expireIn: KEPT_MS })
        .commit();
      return done.ok ? true : undefined;
    }, { what: "attention", tries: TRIES });
  }

  /** Both, by name; when there are too many, those that happened least often go. */
  #merged(some: Iterable<AttentionItem>, others: Iterable<AttentionItem>): AttentionItem[] {
    const since = this.#system.now() - KEPT_MS;
    const all = new Map<string, AttentionItem>();
    for (const item of [...some, ...others]) {
      const before = all.get(item.name);
      if (item.lastAt <= since) continue;
      all.set(item.name, before === undefined ? item : joined(before, item));
    }
    return [...all.values()]
      .sort((a, b) => b.count - a.count || b.lastAt - a.lastAt)
      .slice(0, MAX_NAMES);
  }
}

function joined(one: AttentionItem, other: AttentionItem): AttentionItem {
  const later = other.lastAt >= one.lastAt ? other : one;
  return {
    ...later,
    count: one.count + other.count,
    firstAt: Math.min(one.firstAt, other.firstAt),
  };
}
