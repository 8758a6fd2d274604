import { type AuditEntry, type AuditFilter, auditRecordSchema, filterKey } from "./audit_record.ts";
import { keys } from "../keys/keys.ts";
import { invalidCursor, type Page, type PageRequest } from "../values/page.ts";
import { parseRecord } from "../values/record.ts";

/** Times in milliseconds, `from` inclusive and `before` exclusive. */
export interface AuditQuery extends AuditFilter, PageRequest {
  from?: number | undefined;
  before?: number | undefined;
}

/** Reads the audit log of a tenant or of the installation; `recordChange` writes it. */
export class AuditStore {
  #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  /** Newest first. Uses an index, so the cost of a page does not depend on the length of the log. */
  async list(tenant: string, query: AuditQuery): Promise<Page<AuditEntry>> {
    const positions = await this.#listPositions(tenant, query);
    const more = positions.length > query.limit;
    const wanted = positions.slice(0, query.limit);
    const entries = await Promise.all(wanted.map((position) => this.#get(tenant, position)));
    const data = entries.filter((entry) => entry !== undefined);
    const last = wanted.at(-1);
    return more && last ? { data, nextCursor: last.join(".") } : { data };
  }

  /** One more than the limit, if there are as many. */
  async #listPositions(tenant: string, query: AuditQuery): Promise<EntryPosition[]> {
    const filter = filterKey(query);
    const index = filter === undefined
      ? keys.auditEntries(tenant)
      : keys.auditEntriesByFilter(tenant, filter);
    const selector = {
      start: [...index, query.from ?? 0],
      end: [...index, ...endPosition(query)],
    };
    const rows = this.#kv.list(selector, { reverse: true, limit: query.limit + 1 });
    return await Array.fromAsync(rows, ({ key }) => key.slice(-2) as EntryPosition);
  }

  async #get(tenant: string, [at, id]: EntryPosition): Promise<AuditEntry | undefined> {
    return parseRecord(auditRecordSchema, await this.#kv.get(keys.auditEntry(tenant, at, id)));
  }
}

/** The time and id of an entry. */
type EntryPosition = [at: number, id: string];

/** Exclusive, so that the cursor's own entry is not repeated. */
function endPosition({ cursor, before }: AuditQuery): (string | number)[] {
  if (cursor === undefined) return [before ?? Number.MAX_SAFE_INTEGER];
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) throw invalidCursor();
  return [Number(at), id];
}
