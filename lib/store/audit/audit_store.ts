import { type AuditEntry, type AuditFilter, auditRecordSchema, filterKey } from "./audit_record.ts";
import { keys } from "../keys/keys.ts";
import type { Page, PageRequest } from "../values/page.ts";
import { invalidCursor } from "../values/page.ts";
import { parseRecord } from "../values/record.ts";

/** Which entries are wanted; times in milliseconds, `from` and `before` bound them. */
export interface AuditQuery extends AuditFilter, PageRequest {
  from?: number | undefined;
  before?: number | undefined;
}

/** The audit log of a tenant, or of the installation: written by whoever makes a change, read here. */
export class AuditStore {
  #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  /** Newest first, by an index: a page costs the same however long the log is. */
  async list(tenant: string, query: AuditQuery): Promise<Page<AuditEntry>> {
    const places = await this.#listPositions(tenant, query);
    const more = places.length > query.limit;
    const wanted = places.slice(0, query.limit);
    const entries = await Promise.all(wanted.map((place) => this.#get(tenant, place)));
    const data = entries.filter((entry) => entry !== undefined);
    const last = wanted.at(-1);
    return more && last ? { data, nextCursor: last.join(".") } : { data };
  }

  /** One more than asked for, where there are as many. */
  async #listPositions(tenant: string, query: AuditQuery): Promise<EntryPosition[]> {
    const filter = filterKey(query);
    const index = filter === undefined
      ? keys.auditEntries(tenant)
      : keys.auditEntriesByFilter(tenant, filter);
    const selector = {
      start: [...index, query.from ?? 0],
      end: [...index, ...endPosition(query)],
    };
    const places: EntryPosition[] = [];
    const rows = this.#kv.list(selector, { reverse: true, limit: query.limit + 1 });
    for await (const { key } of rows) places.push(key.slice(-2) as EntryPosition);
    return places;
  }

  async #get(tenant: string, [at, id]: EntryPosition): Promise<AuditEntry | undefined> {
    return parseRecord(auditRecordSchema, await this.#kv.get(keys.auditEntry(tenant, at, id)));
  }
}

/** Where an entry stands: when it was made, and its id. */
type EntryPosition = [at: number, id: string];

/** Exclusive, so that a cursor's own entry is not told again. */
function endPosition({ cursor, before }: AuditQuery): (string | number)[] {
  if (cursor === undefined) return [before ?? Number.MAX_SAFE_INTEGER];
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) throw invalidCursor();
  return [Number(at), id];
}
