/** What is wrong with an entry, or with the chain at its place. */
export interface AuditIssue {
  /** The number of the link; absent for an entry that has none. */
  sequence?: number;
  /** ISO 8601; absent if the link is missing too. */
  at?: string;
  kind?: string;
  action?: string;
  /** A user's e-mail address if the entry still has it, otherwise an id or the kind of actor. */
  actor?: string;
  target?: string;
  reason: string;
}

/** What the verification of one log has found. */
export interface AuditReport {
  /** A tenant's id, or `installation`. */
  log: string;
  /** Entries that the chain proves. */
  entries: number;
  /** Links whose entries have expired. */
  expired: number;
  /** Proven entries that were found without a place in the queue, such as those of an earlier release. */
  late: number;
  /** Entries that were chained hours after their time: somebody may have added them by hand. */
  backdated: number;
  firstBackdated?: AuditIssue;
  /** Links that are older than two days, and that no signature covers. */
  unsigned: number;
  firstUnsigned?: AuditIssue;
  /** Entries that are not chained yet. */
  waiting: number;
  /** Of the first link; absent without links. */
  first?: { sequence: number; at: string };
  /** Of the last link. */
  last?: { sequence: number; at: string; chain: string };
  signedHeads: number;
  /** The keys that have signed them. */
  keyIds: string[];
  /** The first 20, in the order of time. */
  issues: AuditIssue[];
  /** All issues, also those that are not listed. */
  issueCount: number;
}
