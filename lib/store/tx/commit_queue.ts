import type { QueuedOperation } from "./batch.ts";

const DEFAULT_OPERATION_BYTES = 2_048;
/** Deno KV takes 819,200 bytes in one atomic. */
const MAX_BATCH_BYTES = 600_000;
/** An operation names at most 10 keys; its view adds a few. */
const KEYS_PER_ENTRY = 10;
/** Entries looked at for a batch: those behind wait until one of these is done. */
const MAX_SCANNED = 128;

/** A commit beside another costs a write of its own: fewer than these wait for the next one. */
const MIN_PARALLEL_BATCH = 24;

/** Keys that some entries have to themselves, and keys they only rely on. */
class KeyLockSet {
  #locks = new Map<string, boolean>();

  /** How many keys there are. */
  get size(): number {
    return this.#locks.size;
  }

  add(entry: QueuedOperation): void {
    for (const text of entry.keys.keys()) {
      if (!entry.readSet.has(text)) this.#locks.set(text, true);
      else if (!this.#locks.has(text)) this.#locks.set(text, false);
    }
  }

  /** How many there would be with the entry's own. */
  sizeWith(entry: QueuedOperation): number {
    let size = this.size;
    for (const text of entry.keys.keys()) if (!this.#locks.has(text)) size++;
    return size;
  }

  /** Whether the entry could change what these rely on, or the other way round. */
  conflictsWith(entry: QueuedOperation): boolean {
    if (this.size === 0) return false;
    for (const text of entry.keys.keys()) {
      const isOwn = this.#locks.get(text);
      if (isOwn === true || (isOwn === false && !entry.readSet.has(text))) return true;
    }
    return false;
  }
}

/** Entries that have left the line together, until they are released. */
export interface InFlightBatch {
  entries: QueuedOperation[];
  locks: KeyLockSet;
}

/**
 * The operations that wait, in order, and those under way. What goes out while others are under way
 * shares no key with them but such as all only rely on, so each key sees its operations one after the
 * other, in the order asked.
 */
export class CommitQueue {
  #waiting: QueuedOperation[] = [];
  #underWay = new Set<InFlightBatch>();
  /** With fewer waiting than this there is no further batch to be found. */
  #minWaiting = 0;

  get length(): number {
    return this.#waiting.length;
  }

  /** How many batches have been taken and not released. */
  get inFlight(): number {
    return this.#underWay.size;
  }

  add(entry: QueuedOperation): void {
    this.#waiting.push(entry);
  }

  /**
   * The next entries that fit into one atomic of `maxKeys` keys. While others are under way only a batch
   * that is full or large goes: much of a commit costs the same whatever is in it.
   */
  take(maxKeys: number, maxEntries = Infinity): InFlightBatch | undefined {
    const alone = this.#underWay.size === 0;
    if (this.#waiting.length < (alone ? 1 : this.#minWaiting)) return undefined;
    const { entries, locks, full } = this.#selectEntries({ maxKeys, maxEntries });
    if (entries.size === 0 || !(alone || full || entries.size >= MIN_PARALLEL_BATCH)) {
      const missing = Math.ceil((maxKeys - locks.size) / KEYS_PER_ENTRY);
      this.#minWaiting = this.#waiting.length +
        Math.max(1, Math.min(missing, MIN_PARALLEL_BATCH - entries.size));
      return undefined;
    }
    this.#waiting = this.#waiting.filter((entry) => !entries.has(entry));
    const taken = { entries: [...entries], locks };
    this.#underWay.add(taken);
    return taken;
  }

  /** The batch is over; what is left of it is next again. */
  release(taken: InFlightBatch, open: QueuedOperation[]): void {
    this.#underWay.delete(taken);
    this.#minWaiting = 0;
    if (open.length > 0) this.#waiting = [...open, ...this.#waiting];
  }

  /**
   * Which entries may go, and whether no more fit. First those that would have to wait for this batch
   * anyway, so that what is left of a long line can go beside it.
   */
  #selectEntries(
    { maxKeys, maxEntries }: { maxKeys: number; maxEntries: number },
  ): { entries: Set<QueuedOperation>; locks: KeyLockSet; full: boolean } {
    const entries = new Set<QueuedOperation>();
    const locks = new KeyLockSet();
    let bytes = 0;
    for (const isRelated of [true, false]) {
      const passedOver = new KeyLockSet();
      let lookedAt = 0;
      for (const entry of this.#waiting) {
        if (entries.has(entry)) continue;
        if (++lookedAt > MAX_SCANNED) break;
        const isApart = isRelated && entries.size > 0 && !locks.conflictsWith(entry);
        if (isApart || this.#mustWait(entry, passedOver)) {
          passedOver.add(entry);
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

  #mustWait(entry: QueuedOperation, passedOver: KeyLockSet): boolean {
    if (passedOver.conflictsWith(entry)) return true;
    for (const { locks } of this.#underWay) if (locks.conflictsWith(entry)) return true;
    return false;
  }
}
