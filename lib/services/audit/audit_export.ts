import { csvLine, csvText } from "../../platform/csv_line.ts";
import { isPlainJson } from "../../platform/is_plain_json.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import type { AuditExportLine } from "../../schemas/audit_export.ts";
import { type AuditLink, emptyHead } from "../../store/audit/audit_chain.ts";
import type { AuditChainStore } from "../../store/audit/audit_chain_store.ts";
import type { AuditEntry } from "../../store/audit/audit_entry.ts";
import {
  actorId,
  addressOf,
  type AuditFilter,
  matchesAudit,
} from "../../store/audit/audit_index.ts";
import { INSTALLATION, recordChange } from "../../store/audit/audit_record.ts";
import { walkAuditLog, type WalkedEntry } from "../../store/audit/walk_audit_log.ts";
import { listSigningKeys } from "../../store/signing/signing_keys.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import type { AuditChainer } from "./audit_chainer.ts";

export const AUDIT_EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type AuditExportFormat = typeof AUDIT_EXPORT_FORMATS[number];

export interface AuditExportQuery {
  format: AuditExportFormat;
  /** Times in milliseconds, `from` inclusive and `before` exclusive. */
  filter: AuditFilter & { from?: number | undefined; before?: number | undefined };
  /** The filters as the page names them, for the log and the file; empty ones are left out. */
  filters: Readonly<Record<string, string>>;
}

interface AuditExportDeps {
  kv: Deno.Kv;
  chains: AuditChainStore;
  chainer: Pick<AuditChainer, "chain">;
  tenants: Pick<TenantStore, "get">;
  runtime: Pick<Runtime, "now" | "uuid">;
}

/** Audit logs as files, oldest first. */
export class AuditExport {
  readonly #deps: AuditExportDeps;

  constructor(deps: AuditExportDeps) {
    this.#deps = deps;
  }

  /** Records a download in the log that is downloaded, before anything is sent. */
  async record(log: string, { format, filters }: Omit<AuditExportQuery, "filter">): Promise<void> {
    const { kv, runtime, tenants } = this.#deps;
    const name = log === INSTALLATION ? log : (await tenants.get(log))?.name ?? log;
    const step = kv.atomic();
    recordChange(step, runtime, {
      ...{ tenant: log, kind: "tenant", action: "export audit log", target: { id: log, name } },
      after: { format, ...filters },
    });
    await step.commit();
    // The last entries are to be in the file with their links.
    await this.#deps.chainer.chain(log);
  }

  lines(log: string, query: AuditExportQuery): AsyncGenerator<string> {
    return query.format === "csv" ? this.#csv(log, query) : this.#jsonLines(log, query);
  }

  async *#csv(log: string, { filter }: AuditExportQuery): AsyncGenerator<string> {
    const after = (await this.#deps.chains.checkpoint(log))?.sequence ?? 0;
    yield csvLine(COLUMNS.map(([name]) => csvText(name)));
    for await (const walked of this.#walk(log, after)) {
      const entry = entryOf(walked);
      if (entry === undefined || !isWanted(entry, filter)) continue;
      yield csvLine(COLUMNS.map(([, cell]) => cell(entry, walked)));
    }
  }

  async *#jsonLines(
    log: string,
    { filter, filters }: AuditExportQuery,
  ): AsyncGenerator<string> {
    const { chains, kv, runtime } = this.#deps;
    // Before the head, which is never behind them.
    const [checkpoint, signedHeads] = await Promise.all([
      chains.checkpoint(log),
      chains.signedHeads(log),
    ]);
    const { sequence, chain } = checkpoint ?? emptyHead(log);
    const isWhole = Object.keys(filters).length === 0;
    const [exportedAt, after] = [isoTime(runtime.now()), { sequence, chain }];
    yield toLine({ type: "audit_log", v: 1, log, exportedAt, filters: { ...filters }, after });
    let lines = 1;
    for await (const walked of this.#walk(log, sequence)) {
      const entry = entryOf(walked);
      if (entry === undefined ? !isWhole : !isWanted(entry, filter)) continue;
      if (entry === undefined && walked.sequence === undefined) continue;
      yield toLine(walkedLine(walked));
      lines++;
    }
    const [keys, finishedAt] = [await listSigningKeys(kv), isoTime(runtime.now())];
    const proof = { ...checkpoint && { checkpoint }, signedHeads, keys };
    yield toLine({ type: "end", lines, finishedAt, ...proof });
  }

  async *#walk(log: string, after: number): AsyncGenerator<WalkedEntry> {
    const { chains, kv } = this.#deps;
    const until = (await chains.head(log))?.sequence ?? after;
    yield* walkAuditLog(kv, log, { after, until });
  }
}

/** What no file can have is left out: nothing of this service wrote it, and its link is in the file. */
function entryOf({ value }: WalkedEntry): AuditEntry | undefined {
  const { id, at } = (value ?? {}) as Partial<AuditEntry>;
  const isEntry = typeof id === "string" && typeof at === "number" && isPlainJson(value);
  return isEntry ? value as AuditEntry : undefined;
}

function isWanted(entry: AuditEntry, filter: AuditExportQuery["filter"]): boolean {
  const { from = 0, before = Infinity } = filter;
  return entry.at >= from && entry.at < before && matchesAudit(entry, filter);
}

function walkedLine(walked: WalkedEntry): AuditExportLine {
  const entry = entryOf(walked) as AuditEntry & Record<string, unknown> | undefined;
  if (walked.sequence === undefined) return { type: "unchained", entry: entry! };
  const { sequence, link: { v: _v, ...link } } = walked;
  if (entry === undefined) return { type: "link", sequence, ...link };
  const { hash, chain, expiresAt, late } = link;
  return { type: "entry", sequence, hash, chain, expiresAt, ...late && { late }, entry };
}

function toLine(line: AuditExportLine): string {
  return `${JSON.stringify(line)}\n`;
}

type Cell = (entry: AuditEntry, walked: WalkedEntry) => string | number;

function ofLink(pick: (link: AuditLink) => string): Cell {
  return (_entry, walked) => csvText(walked.sequence === undefined ? "" : pick(walked.link));
}

const COLUMNS: readonly (readonly [name: string, cell: Cell])[] = [
  ["sequence", (_entry, { sequence }) => sequence ?? csvText("")],
  ["time", ({ at }) => csvText(isoTime(at))],
  ["actor_kind", ({ actor }) => csvText(actor.kind)],
  ["actor_id", (entry) => csvText(actorId(entry))],
  ["actor_name", ({ actor }) => csvText(actor.kind === "user" ? actor.name : "")],
  ["kind", ({ kind }) => csvText(kind)],
  ["action", ({ action }) => csvText(action)],
  ["target_id", ({ target }) => csvText(target.id)],
  ["target_name", ({ target }) => csvText(target.name)],
  ["address", (entry) => csvText(addressOf(entry) ?? "")],
  ["changes", ({ changes }) => csvText(JSON.stringify(changes))],
  ["entry_id", ({ id }) => csvText(id)],
  ["hash", ofLink(({ hash }) => hash)],
  ["chain", ofLink(({ chain }) => chain)],
];
