import type { Entry } from "./batch.ts";

const DEFAULT_BYTES = 2_048;
/** Deno KV takes 819,200 bytes in one atomic. */
const MAX_BYTES = 600_000;
/** An operation names at most 10 keys; its view adds a few. */
const KEYS_PER_ENTRY = 10;
/** Entries looked at for a batch: those behind wait until one of these is done. */
const MAX_LOOKED_AT = 128;

/** A commit beside another costs a write of its own: fewer than these wait for the next one. */
const WORTH_A_COMMIT = 24;

/** Keys that some entries have to themselves, and keys they only rely on. */
class Claims {
  #isOwn = new Map<string, boolean>();

  /** How many keys there are. */
  get size(): number {
    return this.#isOwn.size;
  }

  add(entry: Entry): void {
    for (const text of entry.keys.keys()) {
      if (!entry.basis.has(text)) this.#isOwn.set(text, true);
      else if (!this.#isOwn.has(text)) this.#isOwn.set(text, false);
    }
  }

  /** How many there would be with the entry's own. */
  sizeWith(entry: Entry): number {
    let size = this.size;
    for (const text of entry.keys.keys()) if (!this.#isOwn.has(text)) size++;
    return size;
  }

  /** Whether the entry could change what these rely on, or the other way round. */
  meet(entry: Entry): boolean {
    if (this.size === 0) return false;
    for (const text of entry.keys.keys()) {
      const isOwn = this.#isOwn.get(text);
      if (isOwn === true || (isOwn === false && !entry.basis.has(text))) return true;
    }
    return false;
  }
}

/** Entries that have left the line together, until they are released. */
export interface Taken {
  entries: Entry[];
  claims: Claims;
}

/**
 * The operations that wait, in order, and those under way. What goes out while others are under way
 * shares no key with them but such as all only rely on, so each key sees its operations one after the
 * other, in the order asked.
 */
export class Line {
  #waiting: Entry[] = [];
  #underWay = new Set<Taken>();
  /** With fewer waiting than this there is no further batch to be found. */
  #worthALook = 0;

  get length(): number {
    return this.#waiting.length;
  }

  /** How many batches have been taken and not released. */
  get underWay(): number {
    return this.#underWay.size;
  }

  add(entry: Entry): void {
    this.#waiting.push(entry);
  }

  /**
   * The next entries that fit into one atomic of `maxKeys` keys. While others are under way only a batch
   * that is full or large goes: much of a commit costs the same whatever is in it.
   */
  take(maxKeys: number, maxEntries = Infinity): Taken | undefined {
    const alone = this.#underWay.size === 0;
    if (this.#waiting.length < (alone ? 1 : this.#worthALook)) return undefined;
    const { entries, claims, full } = this.#find({ maxKeys, maxEntries });
    if (entries.size === 0 || !(alone || full || entries.size >= WORTH_A_COMMIT)) {
      const missing = Math.ceil((maxKeys - claims.size) / KEYS_PER_ENTRY);
      this.#worthALook = this.#waiting.length +
        Math.max(1, Math.min(missing, WORTH_A_COMMIT - entries.size));
      return undefined;
    }
    this.#waiting = this.#waiting.filter((entry) => !entries.has(entry));
    const taken = { entries: [...entries], claims };
    this.#underWay.add(taken);
    return taken;
  }

  /** The batch is over; what is left of it is next again. */
  release(taken: Taken, open: Entry[]): void {
    this.#underWay.delete(taken);
    this.#worthALook = 0;
    if (open.length > 0) this.#waiting = [...open, ...this.#waiting];
  }

  /**
   * Which entries may go, and whether no more fit. First those that would have to wait for this batch
   * anyway, so that what is left of a long line can go beside it.
   */
  #find(
    { maxKeys, maxEntries }: { maxKeys: number; maxEntries: number },
  ): { entries: Set<Entry>; claims: Claims; full: boolean } {
    const entries = new Set<Entry>();
    const claims = new Claims();
    let bytes = 0;
    for (const isRelated of [true, false]) {
      const passedOver = new Claims();
      let lookedAt = 0;
      for (const entry of this.#waiting) {
        if (entries.has(entry)) continue;
        if (++lookedAt > MAX_LOOKED_AT) break;
        const isApart = isRelated && entries.size > 0 && !claims.meet(entry);
        if (isApart || this.#mustWait(entry, passedOver)) {
          passedOver.add(entry);
          continue;
        }
        bytes += entry.operation.bytes ?? DEFAULT_BYTES;
        const full = claims.sizeWith(entry) > maxKeys || bytes > MAX_BYTES ||
          entries.size >= maxEntries;
        if (full && entries.size > 0) return { entries, claims, full };
        entries.add(entry);
        claims.add(entry);
        if (full) return { entries, claims, full };
      }
    }
    return { entries, claims, full: false };
  }

  #mustWait(entry: Entry, passedOver: Claims): boolean {
    if (passedOver.meet(entry)) return true;
    for (const { claims } of this.#underWay) if (claims.meet(entry)) return true;
    return false;
  }
}
