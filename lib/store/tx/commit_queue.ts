import type { QueuedOperation } from "./batch.ts";
import { DEFAULT_MAX_CHECKS, learnMaxChecks } from "./store_error.ts";

const DEFAULT_OPERATION_BYTES = 2_048;
/** Deno KV accepts 819,200 bytes in one atomic. */
const MAX_BATCH_BYTES = 600_000;
/** An operation lists at most 10 keys; its read set adds a few. */
const KEYS_PER_ENTRY = 10;
/** Maximum entries scanned for a batch; those behind wait for one of these to finish. */
const MAX_SCANNED = 128;
/** A parallel commit costs a write of its own, so fewer entries than this wait for the next one. */
const MIN_PARALLEL_BATCH = 24;

/** What an attempt sent to the store. */
export interface SentChecks {
  operations: number;
  checks: number;
  /** How many checks the store was known to take then. */
  maxKeys: number;
}

/**
 * Maximum size of the next batch. It adapts to the number of checks that the store accepts in one atomic,
 * and to invalid operations. A conflict with another process does not change it: a contended key conflicts
 * at any batch size, and small batches made it worse.
 */
export class BatchSize {
  /** Keys that a batch may check, as far as the store's errors have shown. */
  maxKeys = DEFAULT_MAX_CHECKS;
  maxEntries = Infinity;

  onCommitted(): void {
    this.maxEntries *= 2;
  }

  /** Halves a batch of `entries` that contains an invalid operation, to isolate it. */
  onInvalid(entries: number): void {
    this.maxEntries = Math.floor(entries / 2);
  }

  /** True if `error` shows that the store accepts fewer checks, and the next attempt can send fewer. */
  learnMaxKeys(error: unknown, { operations, checks, maxKeys }: SentChecks): boolean {
    const learned = learnMaxChecks(error, checks);
    if (learned === undefined) return false;
    this.maxKeys = learned;
    return operations > 1 || learned < maxKeys;
  }
}

/** The keys of some entries, locked exclusively, or shared where all of them only rely on the key. */
class KeyLockSet {
  #isExclusive = new Map<string, boolean>();

  get size(): number {
    return this.#isExclusive.size;
  }

  add(entry: QueuedOperation): void {
    for (const text of entry.keys.keys()) {
      if (!entry.readSet.has(text)) this.#isExclusive.set(text, true);
      else if (!this.#isExclusive.has(text)) this.#isExclusive.set(text, false);
    }
  }

  /** The size after adding the entry. */
  sizeWith(entry: QueuedOperation): number {
    let size = this.size;
    for (const text of entry.keys.keys()) if (!this.#isExclusive.has(text)) size++;
    return size;
  }

  /** True if the entry and these could change what the other relies on. */
  conflictsWith(entry: QueuedOperation): boolean {
    if (this.size === 0) return false;
    for (const text of entry.keys.keys()) {
      const isExclusive = this.#isExclusive.get(text);
      if (isExclusive || (isExclusive === false && !entry.readSet.has(text))) return true;
    }
    return false;
  }
}

/** Entries taken from the queue together, until they are released. */
export type InFlightBatch = { entries: QueuedOperation[]; locks: KeyLockSet };

/**
 * The waiting operations, in order, and those in flight. Batches that are in flight together share only
 * keys that all of them merely rely on, so each key sees its operations one at a time, in order.
 */
export class CommitQueue {
  #waiting: QueuedOperation[] = [];
  #inFlight = new Set<InFlightBatch>();
  /** With fewer entries waiting there is no further batch to be found. */
  #minWaiting = 0;

  get length(): number {
    return this.#waiting.length;
  }

  /** The number of batches in flight. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  add(entry: QueuedOperation): void {
    this.#waiting.push(entry);
  }

  /**
   * Takes the next entries that fit into one atomic. While others are in flight only a full or large
   * batch is taken, because much of a commit's cost does not depend on its size.
   */
  take(maxKeys: number, maxEntries = Infinity): InFlightBatch | undefined {
    const isAlone = this.#inFlight.size === 0;
    if (this.#waiting.length < (isAlone ? 1 : this.#minWaiting)) return undefined;
    const { entries, locks, full } = this.#selectEntries({ maxKeys, maxEntries });
    if (entries.size === 0 || !(isAlone || full || entries.size >= MIN_PARALLEL_BATCH)) {
      const missing = Math.ceil((maxKeys - locks.size) / KEYS_PER_ENTRY);
      this.#minWaiting = this.#waiting.length +
        Math.max(1, Math.min(missing, MIN_PARALLEL_BATCH - entries.size));
      return undefined;
    }
    this.#waiting = this.#waiting.filter((entry) => !entries.has(entry));
    const batch = { entries: [...entries], locks };
    this.#inFlight.add(batch);
    return batch;
  }

  /** Ends a batch; its `remaining` entries go back to the front of the queue. */
  release(batch: InFlightBatch, remaining: QueuedOperation[]): void {
    this.#inFlight.delete(batch);
    this.#minWaiting = 0;
    if (remaining.length > 0) this.#waiting = [...remaining, ...this.#waiting];
  }

  /**
   * Selects the entries of the next batch; `full` if no more fit. The first pass takes entries that
   * conflict with the batch and would have to wait for it, so that the rest can go out in parallel.
   */
  #selectEntries(
    { maxKeys, maxEntries }: { maxKeys: number; maxEntries: number },
  ): { entries: Set<QueuedOperation>; locks: KeyLockSet; full: boolean } {
    const entries = new Set<QueuedOperation>();
    const locks = new KeyLockSet();
    let bytes = 0;
    for (const onlyRelated of [true, false]) {
      const skipped = new KeyLockSet();
      let scanned = 0;
      for (const entry of this.#waiting) {
        if (entries.has(entry)) continue;
        if (++scanned > MAX_SCANNED) break;
        const isUnrelated = onlyRelated && entries.size > 0 && !locks.conflictsWith(entry);
        if (isUnrelated || this.#mustWait(entry, skipped)) {
          skipped.add(entry);
          continue;
        }
        bytes += entry.operation.estimatedBytes ?? DEFAULT_OPERATION_BYTES;
        const full = locks.sizeWith(entry) > maxKeys || bytes > MAX_BATCH_BYTES ||
          entries.size >= maxEntries;
        if (full && entries.size > 0) return { entries, locks, full };
        entries.add(entry);
        locks.add(entry);
        if (full) return { entries, locks, full };
      }
    }
    return { entries, locks, full: false };
  }

  #mustWait(entry: QueuedOperation, skipped: KeyLockSet): boolean {
    if (skipped.conflictsWith(entry)) return true;
    for (const { locks } of this.#inFlight) if (locks.conflictsWith(entry)) return true;
    return false;
  }
}
