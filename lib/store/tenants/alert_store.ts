import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

/** What people should know of: a page that may not embed an agent, a model vendor that fails. */
export type AlertKind = "origin_refused" | "vendor_failed" | "conversations_full";

/** Written at most this often for one tenant and kind, however often it happens. */
const WRITE_INTERVAL_MS = 60_000;
/** What has not happened for this long is forgotten. */
const ALERT_TTL_MS = 24 * 60 * 60_000;
/** Names of one tenant and kind: strangers choose origins, so neither their number nor length is theirs. */
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 200;
/** Tenants and kinds that a process remembers between writes. */
const MAX_TRACKED = 1_000;
const MAX_TRIES = 3;

const alertSchema = z.object({
  /** An origin, or `provider/model`. */
  name: z.string(),
  /** The agent that was asked for last, or the code of the last failure. */
  detail: z.string(),
  count: z.int().positive(),
  /** Milliseconds. */
  firstAt: z.int(),
  lastAt: z.int(),
});
export type Alert = z.infer<typeof alertSchema>;

const recordSchema = z.object({ v: z.literal(1), items: z.array(alertSchema) });

interface TrackedAlerts {
  tenant: string;
  kind: AlertKind;
  /** Not written yet, by name. */
  pending: Map<string, Alert>;
  writtenAt: number;
  writing?: Promise<void> | undefined;
}

/**
 * Counters of what goes wrong without anybody of the tenant seeing it. Noting is free: the first of its
 * kind is written at once, what follows within the minute with the next write, or when it is asked for.
 */
export class AlertStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;
  readonly #tracked = new LRUCache<string, TrackedAlerts>({ max: MAX_TRACKED });

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** Never throws and is never waited for: a refusal must not cost more than the request refused. */
  note(tenant: string, kind: AlertKind, what: { name: string; detail: string }): void {
    const now = this.#runtime.now();
    const remembered = this.#track(tenant, kind);
    const name = what.name.slice(0, MAX_NAME_LENGTH);
    const isDue = () => now - remembered.writtenAt >= WRITE_INTERVAL_MS;
    if (remembered.pending.size >= MAX_NAMES && isDue()) void this.#write(remembered);
    const before = remembered.pending.get(name);
    if (before === undefined && remembered.pending.size >= MAX_NAMES) return;
    remembered.pending.set(name, {
      ...{ name, detail: what.detail, lastAt: now },
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? now,
    });
    if (isDue()) void this.#write(remembered);
  }

  /** What happened in the last day, the latest first; by this process up to now. */
  async list(tenant: string, kind: AlertKind): Promise<Alert[]> {
    const remembered = this.#tracked.get(`${tenant} ${kind}`);
    await remembered?.writing;
    const stored = parseRecord(recordSchema, await this.#kv.get(keys.alerts(tenant, kind)));
    const pending = remembered?.pending.values() ?? [];
    return this.#merge(stored?.items ?? [], pending).sort((a, b) => b.lastAt - a.lastAt);
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    for (const remembered of [...this.#tracked.values()]) {
      await remembered.writing;
      if (remembered.pending.size > 0) await this.#write(remembered);
    }
  }

  #track(tenant: string, kind: AlertKind): TrackedAlerts {
    const name = `${tenant} ${kind}`;
    const known = this.#tracked.get(name);
    if (known !== undefined) return known;
    const made: TrackedAlerts = { tenant, kind, pending: new Map(), writtenAt: -Infinity };
    this.#tracked.set(name, made);
    return made;
  }

  /** A store that is away is asked again with the next note, a minute later. */
  #write(remembered: TrackedAlerts): Promise<void> {
    const { pending } = remembered;
    remembered.pending = new Map();
    remembered.writtenAt = this.#runtime.now();
    remembered.writing = this.#add(remembered, pending).catch(() => {
      const all = [...pending.values(), ...remembered.pending.values()];
      remembered.pending = new Map(this.#merge(all, []).map((item) => [item.name, item]));
    });
    return remembered.writing;
  }

  async #add(
    { tenant, kind }: TrackedAlerts,
    items: ReadonlyMap<string, Alert>,
  ): Promise<void> {
    const key = keys.alerts(tenant, kind);
    await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const stored = parseRecord(recordSchema, entry)?.items ?? [];
      const next = { v: 1, items: this.#merge(stored, items.values()) };
      const done = await this.#kv.atomic().check(entry).set(key, next, { expireIn: ALERT_TTL_MS })
        .commit();
      return done.ok ? true : undefined;
    }, { what: "attention", tries: MAX_TRIES });
  }

  /** Both, by name; when there are too many, those that happened least often go. */
  #merge(some: Iterable<Alert>, others: Iterable<Alert>): Alert[] {
    const since = this.#runtime.now() - ALERT_TTL_MS;
    const all = new Map<string, Alert>();
    for (const item of [...some, ...others]) {
      const before = all.get(item.name);
      if (item.lastAt <= since) continue;
      all.set(item.name, before === undefined ? item : mergeCounts(before, item));
    }
    return [...all.values()]
      .sort((a, b) => b.count - a.count || b.lastAt - a.lastAt)
      .slice(0, MAX_NAMES);
  }
}

function mergeCounts(one: Alert, other: Alert): Alert {
  const later = other.lastAt >= one.lastAt ? other : one;
  return {
    ...later,
    count: one.count + other.count,
    firstAt: Math.min(one.firstAt, other.firstAt),
  };
}
