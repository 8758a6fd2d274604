import { type AuditExportLine, auditExportLineSchema } from "../../schemas/audit_export.ts";
import { type AuditLink, auditLinkSchema, emptyHead } from "../../store/audit/audit_chain.ts";
import type { AuditEntry } from "../../store/audit/audit_entry.ts";
import type { AuditReport } from "./audit_report.ts";
import { actorOf, ChainCheck } from "./check_chain.ts";
import { checkSignedHeads, checkTrust } from "./check_signed_heads.ts";

/** A file that is not a whole export of an audit log. */
export class AuditFileError extends Error {
  override name = "AuditFileError";
}

/** No download takes longer. */
const MAX_DOWNLOAD_MS = 86_400_000;

type Line<T extends AuditExportLine["type"]> = Extract<AuditExportLine, { type: T }>;
interface WholeFile {
  start: Line<"audit_log">;
  end: Line<"end">;
  lines: AuditExportLine[];
}

/**
 * Verifies an export of a whole log without a service. `trusted` are ids of keys that may have signed; by
 * default those in the file. Throws `AuditFileError` for what is not such an export.
 */
export function verifyAuditFile(
  text: string,
  { trusted }: { trusted?: readonly string[] | undefined } = {},
): AuditReport {
  const file = readFile(text);
  const { start: { log, after }, end } = file;
  const check = new ChainCheck(log, { now: endOf(file) });
  check.begin({ v: 1, ...after }, end.signedHeads);
  checkStart(check, file);
  checkSignedHeads(check, { ...end, trusted });
  for (const line of file.lines) {
    if (line.type === "unchained") check.report.waiting++;
    if (line.type === "entry" || line.type === "link") {
      check.add(line.sequence, toLink(line), line.type === "entry" ? line.entry : undefined);
    }
  }
  checkTrust(check, trusted);
  const beyond = end.signedHeads.find(({ sequence }) => sequence > check.sequence);
  if (beyond !== undefined) check.expectEnd(beyond.sequence);
  return check.report;
}

/**
 * When the file was complete. It decides which entries have expired, so it is bounded by the latest entry:
 * that of the download itself, or a later one.
 */
function endOf({ start, end, lines }: WholeFile): number {
  const latest = lines.reduce((at, line) => {
    if (line.type === "entry") return Math.max(at, line.entry.at);
    return line.type === "link" ? Math.max(at, line.at) : at;
  }, 0);
  return Math.min(Date.parse(end.finishedAt ?? start.exportedAt), latest + MAX_DOWNLOAD_MS);
}

function readFile(text: string): WholeFile {
  const lines = text.trimEnd().split("\n").map((line, n) => parseLine(line, n + 1));
  const [start, ...rest] = lines;
  const end = rest.pop();
  if (start?.type !== "audit_log") throw new AuditFileError("its first line is not that of a log");
  if (end?.type !== "end") throw new AuditFileError("its last line is missing");
  if (end.lines !== lines.length - 1) {
    throw new AuditFileError("it has more or fewer lines than its last line says");
  }
  if (Object.keys(start.filters).length > 0) {
    throw new AuditFileError("it was filtered, and only a whole log is a chain");
  }
  return { start, end, lines: rest };
}

function parseLine(line: string, n: number): AuditExportLine {
  try {
    return auditExportLineSchema.parse(JSON.parse(line));
  } catch {
    throw new AuditFileError(`line ${n} is not a line of an exported audit log`);
  }
}

function toLink(line: Line<"entry"> | Line<"link">): AuditLink {
  const { type: _type, sequence: _sequence, ...rest } = line;
  if (!("entry" in rest)) return auditLinkSchema.parse({ v: 1, ...rest });
  const { entry, ...link } = rest;
  // Whatever the file says: a link that does not fit is an issue.
  const { at, id, kind, action } = entry as Partial<AuditEntry> & typeof entry;
  const facts = { at, id, kind: String(kind), action: String(action) };
  return { v: 1, ...link, ...facts, actor: actorOf(entry) };
}

/** A file starts with the first entry, or after the signed checkpoint. */
function checkStart(check: ChainCheck, { start: { log, after }, end: { checkpoint } }: WholeFile) {
  const { sequence, chain } = checkpoint ?? emptyHead(log);
  if (sequence !== after.sequence || chain !== after.chain) {
    check.fail({ sequence: after.sequence + 1 }, "the file does not start where the chain starts");
  }
}
