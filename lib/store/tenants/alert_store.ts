import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, updateRecord } from "../values/record.ts";

/** Problems to show to a tenant: a page that may not embed an agent, a failing provider. */
export type AlertKind =
  | "origin_refused"
  | "vendor_failed"
  | "conversations_full"
  | "canary_rolled_back";

/** Each tenant and kind is written at most this often. */
const WRITE_INTERVAL_MS = 60_000;
/** An alert is dropped this long after its last occurrence. */
const ALERT_TTL_MS = 24 * 60 * 60_000;
/** Names of one tenant and kind. Limited like their length, because strangers choose origins. */
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 200;
/** Tenants and kinds that a process tracks between writes. */
const MAX_TRACKED = 1_000;
const MAX_TRIES = 3;

const alertSchema = z.object({
  /** An origin, `provider/model`, or an agent's id. */
  name: z.string(),
  /** The last agent that was requested, the code of the last failure, or the limit that was reached. */
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
 * Counts problems that no user of the tenant sees otherwise. Adding to a count is cheap: the first
 * occurrence is written at once, later ones with the next write a minute later, or on `close`.
 */
export class AlertStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;
  readonly #tracked = new LRUCache<string, TrackedAlerts>({ max: MAX_TRACKED });

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** Counts an occurrence. Never throws or waits, so that a rejection stays cheap. */
  note(tenant: string, kind: AlertKind, what: { name: string; detail: string }): void {
    const now = this.#runtime.now();
    const tracked = this.#track(tenant, kind);
    const name = what.name.slice(0, MAX_NAME_LENGTH);
    const isDue = () => now - tracked.writtenAt >= WRITE_INTERVAL_MS;
    if (tracked.pending.size >= MAX_NAMES && isDue()) void this.#write(tracked);
    const before = tracked.pending.get(name);
    if (before === undefined && tracked.pending.size >= MAX_NAMES) return;
    tracked.pending.set(name, {
      ...{ name, detail: what.detail, lastAt: now },
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? now,
    });
    if (isDue()) void this.#write(tracked);
  }

  /** The alerts of the last day, latest first, including unwritten ones of this process. */
  async list(tenant: string, kind: AlertKind): Promise<Alert[]> {
    const tracked = this.#tracked.get(`${tenant} ${kind}`);
    await tracked?.writing;
    const stored = parseRecord(recordSchema, await this.#kv.get(keys.alerts(tenant, kind)));
    const pending = tracked?.pending.values() ?? [];
    return this.#merge([...stored?.items ?? [], ...pending]).sort((a, b) => b.lastAt - a.lastAt);
  }

  /** Writes all pending alerts. */
  async close(): Promise<void> {
    for (const tracked of [...this.#tracked.values()]) {
      await tracked.writing;
      if (tracked.pending.size > 0) await this.#write(tracked);
    }
  }

  #track(tenant: string, kind: AlertKind): TrackedAlerts {
    const name = `${tenant} ${kind}`;
    const known = this.#tracked.get(name);
    if (known !== undefined) return known;
    const tracked: TrackedAlerts = { tenant, kind, pending: new Map(), writtenAt: -Infinity };
    this.#tracked.set(name, tracked);
    return tracked;
  }

  /** If the store is unavailable, the next `note` after a minute tries again. */
  #write(tracked: TrackedAlerts): Promise<void> {
    const { pending } = tracked;
    tracked.pending = new Map();
    tracked.writtenAt = this.#runtime.now();
    tracked.writing = this.#add(tracked, pending).catch(() => {
      const all = this.#merge([...pending.values(), ...tracked.pending.values()]);
      tracked.pending = new Map(all.map((alert) => [alert.name, alert]));
    });
    return tracked.writing;
  }

  #add({ tenant, kind }: TrackedAlerts, alerts: ReadonlyMap<string, Alert>): Promise<void> {
    const key = keys.alerts(tenant, kind);
    const location = { key, schema: recordSchema, what: "alerts", tries: MAX_TRIES };
    return updateRecord(this.#kv, location, (stored, save) => {
      const items = this.#merge([...stored?.items ?? [], ...alerts.values()]);
      save({ v: 1, items }, { expireIn: ALERT_TTL_MS });
    });
  }

  /** Merges alerts of the same name; if there are too many, drops the least frequent. */
  #merge(alerts: readonly Alert[]): Alert[] {
    const since = this.#runtime.now() - ALERT_TTL_MS;
    const merged = new Map<string, Alert>();
    for (const alert of alerts) {
      if (alert.lastAt <= since) continue;
      const before = merged.get(alert.name);
      merged.set(alert.name, before === undefined ? alert : mergeCounts(before, alert));
    }
    return [...merged.values()]
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
