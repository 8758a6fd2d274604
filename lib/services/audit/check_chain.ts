import { isPlainJson } from "../../platform/is_plain_json.ts";
import type { AuditEntry } from "../../store/audit/audit_entry.ts";
import {
  type AuditHead,
  type AuditLink,
  chainOf,
  hashEntry,
} from "../../store/audit/audit_chain.ts";
import { actorId } from "../../store/audit/audit_index.ts";
import type { AuditReport } from "./audit_report.ts";

const MAX_ISSUES = 20;
/** Clocks of stores differ a little from those of processes. */
const EARLY_EXPIRY_MS = 10 * 60_000;

/** Heads are signed once a day, while the service runs. */
const UNSIGNED_MS = 2 * 86_400_000;
const BACKDATED_MS = 3 * 60 * 60_000;

/** What is known about an entry for an issue. */
type Known = Partial<Pick<AuditLink, "at" | "kind" | "action" | "actor">> & {
  sequence?: number;
  /** Sort key of the issue: the latest link time so far, or the own time of an entry without a link. */
  order?: number;
};

/** Checks links and entries in their order, and collects what is wrong. */
export class ChainCheck {
  readonly report: AuditReport;
  readonly #now: number;
  /** Chains that were signed, by sequence. */
  #signed: ReadonlyMap<number, string> = new Map();
  /** The last link that a signature covers, its own included. */
  #signedUntil = 0;
  /** Of the issues that are listed, in the same order. */
  readonly #orders: number[] = [];
  #latestAt = 0;
  #sequence = 0;
  #chain = "";

  constructor(log: string, { now }: { now: number }) {
    this.#now = now;
    this.report = {
      ...{ log, entries: 0, expired: 0, late: 0, backdated: 0, unsigned: 0, waiting: 0 },
      ...{ signedHeads: 0, keyIds: [], issues: [], issueCount: 0 },
    };
  }

  /** Before the first link: what that continues, and the heads that were signed. */
  begin({ sequence, chain }: AuditHead, signedHeads: readonly AuditHead[]): void {
    [this.#sequence, this.#chain] = [sequence, chain];
    this.#signed = new Map(signedHeads.map((head) => [head.sequence, head.chain]));
  }

  get sequence(): number {
    return this.#sequence;
  }

  get signedUntil(): number {
    return this.#signedUntil;
  }

  get chain(): string {
    return this.#chain;
  }

  /** A valid signature covers every link up to here. */
  cover(sequence: number): void {
    this.#signedUntil = Math.max(this.#signedUntil, sequence);
  }

  /** The next link, and its entry as stored; `undefined` if the store does not have it. */
  add(sequence: number, link: AuditLink, value: unknown): void {
    const { report } = this;
    const known = { sequence, ...link };
    const at = isoTime(link.at);
    report.first ??= { sequence, at };
    report.last = { sequence, at, chain: link.chain };
    this.#latestAt = Math.max(this.#latestAt, link.at);
    this.#checkTime(known);
    this.#checkPlace(known);
    const signed = this.#signed.get(sequence);
    if (signed !== undefined && signed !== link.chain) {
      this.fail(known, "the chain up to here is not the one that was signed: it was written again");
    }
    this.#checkEntry(known, value);
  }

  /** Notes an issue, if it is one of the first. Fields of the entry win over those of its link: they name people. */
  fail(known: Known, reason: string, value?: unknown): void {
    this.report.issueCount++;
    const { sequence, at, kind, action, actor, order = this.#latestAt } = known;
    const place = this.#orders.findLastIndex((other) => other <= order) + 1;
    if (place >= MAX_ISSUES) return;
    const entry = value as Partial<AuditEntry> | undefined | null;
    const name = entry?.actor?.kind === "user" ? entry.actor.name : actor;
    const target = entry?.target?.name || entry?.target?.id;
    const time = at === undefined ? undefined : isoTime(at);
    const facts = { sequence, at: time, kind, action, actor: name, target };
    const defined = Object.entries(facts).filter(([, fact]) => fact !== undefined);
    this.#orders.splice(place, 0, order);
    this.report.issues.splice(place, 0, { ...Object.fromEntries(defined), reason });
    this.report.issues.length = this.#orders.length = Math.min(MAX_ISSUES, this.#orders.length);
  }

  /** Every link up to `until` must have been there. */
  expectEnd(until: number): void {
    if (this.#sequence >= until) return;
    this.fail({ sequence: this.#sequence + 1 }, `${countLinks(until - this.#sequence)} missing`);
  }

  #checkTime(known: AuditLink & { sequence: number }): void {
    const { sequence, late, kind, action, actor } = known;
    if (late) this.report.late++;
    const facts = { sequence, at: isoTime(known.at), kind, action, actor };
    if (sequence > this.#signedUntil && known.at < this.#now - UNSIGNED_MS) {
      this.report.unsigned++;
      this.report.firstUnsigned ??= { ...facts, reason: "no signed head covers it" };
    }
    // Entries of an earlier release are found within an hour, so that few later ones are before them.
    if (known.at > this.#latestAt - BACKDATED_MS) return;
    this.report.backdated++;
    this.report.firstBackdated ??= { ...facts, reason: "it was chained hours after its time" };
  }

  #checkPlace({ sequence, ...link }: AuditLink & { sequence: number }): void {
    const missing = sequence - this.#sequence - 1;
    if (missing > 0) {
      this.fail(
        { sequence: this.#sequence + 1 },
        `${countLinks(missing)} missing before ${sequence}`,
      );
    } else if (chainOf(this.#chain, link, sequence) !== link.chain) {
      this.fail({ sequence, ...link }, "its link was changed, or a link before it");
    }
    // What follows is compared with what is stored here: one change is one issue.
    [this.#sequence, this.#chain] = [sequence, link.chain];
  }

  #checkEntry(known: AuditLink & { sequence: number }, value: unknown): void {
    if (value === undefined) {
      if (this.#now < known.expiresAt - EARLY_EXPIRY_MS) this.fail(known, "the entry was removed");
      else this.report.expired++;
      return;
    }
    this.report.entries++;
    const { at, id } = (value ?? {}) as Partial<AuditEntry>;
    if (at !== known.at || id !== known.id) {
      this.fail(known, "another entry is stored in its place", value);
    } else if (!hasHash(value, known.hash)) {
      this.fail(known, "the entry was changed", value);
    }
  }
}

/** False as well for other types that have the same JSON, which pages cannot read. */
export function hasHash(value: unknown, hash: string): boolean {
  try {
    return isPlainJson(value) && hashEntry(Object(value)) === hash;
  } catch {
    return false;
  }
}

function countLinks(n: number): string {
  return n === 1 ? "its link is" : `the links of ${n} entries are`;
}

/** The actor of a stored value, which may be anything. */
export function actorOf(value: unknown): string {
  const { actor } = (value ?? {}) as Partial<AuditEntry>;
  return typeof actor === "object" && actor !== null ? String(actorId({ actor })) : "";
}

/** A changed time may be none that a date can have. */
function isoTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}
