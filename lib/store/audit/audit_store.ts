import { type AuditEntry, auditRecordSchema } from "./audit_entry.ts";
import { type AuditFilter, auditIndex, matchesAudit } from "./audit_index.ts";
import { keys } from "../keys/keys.ts";
import { invalidCursor, type Page, type PageRequest } from "../values/page.ts";
import { parseRecord } from "../values/record.ts";

/** Times in milliseconds, `from` inclusive and `before` exclusive. */
export interface AuditQuery extends AuditFilter, PageRequest {
  from?: number | undefined;
  before?: number | undefined;
}

/** Index rows read for one page. A page of a rare combination of filters may have fewer entries. */
const MAX_ROWS = 1_000;
/** The most keys that one read takes. */
const KEYS_PER_READ = 10;

/** Reads the audit log of a tenant or of the installation; `recordChange` writes it. */
export class AuditStore {
  #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  /**
   * Newest first. Reads the shortest index of the filter, so the cost of a page does not depend on the
   * length of the log; what else is filtered by is looked for in at most 1,000 of its rows.
   */
  async list(tenant: string, query: AuditQuery): Promise<Page<AuditEntry>> {
    const rows = this.#positions(tenant, query);
    const data: AuditEntry[] = [];
    let last: EntryPosition | undefined;
    let read = 0;
    for await (const positions of inGroups(rows, KEYS_PER_READ)) {
      for (const [n, entry] of (await this.#getMany(tenant, positions)).entries()) {
        const isFull = data.length === query.limit || ++read > MAX_ROWS;
        if (isFull && last) return { data, nextCursor: last.join(".") };
        last = positions[n];
        if (entry !== undefined && matchesAudit(entry, query)) data.push(entry);
      }
    }
    return { data };
  }

  async *#positions(tenant: string, query: AuditQuery): AsyncGenerator<EntryPosition> {
    const index = auditIndex(tenant, query);
    const selector = {
      start: [...index, query.from ?? 0],
      end: [...index, ...endPosition(query)],
    };
    const batchSize = Math.min(100, query.limit + 1);
    for await (const { key } of this.#kv.list(selector, { reverse: true, batchSize })) {
      yield key.slice(-2) as EntryPosition;
    }
  }

  async #getMany(
    tenant: string,
    positions: readonly EntryPosition[],
  ): Promise<(AuditEntry | undefined)[]> {
    const rows = await this.#kv.getMany(
      positions.map(([at, id]) => keys.auditEntry(tenant, at, id)),
    );
    return rows.map((row) => parseRecord(auditRecordSchema, row));
  }
}

/** The time and id of an entry. */
type EntryPosition = [at: number, id: string];

async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Exclusive, so that the cursor's own entry is not repeated. */
function endPosition({ cursor, before }: AuditQuery): (string | number)[] {
  if (cursor === undefined) return [before ?? Number.MAX_SAFE_INTEGER];
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) throw invalidCursor();
  return [Number(at), id];
}
