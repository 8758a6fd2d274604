/**
 * Times of requests, oldest first, in about one bit a request and one bit a millisecond. Read from `start`:
 * a 1 is a request at the current time, which begins with `from`, and a 0 advances it by one millisecond.
 * So the last minute takes (requests + 60,000) bits at most, however the requests are distributed.
 */
export interface PackedStamps {
  /** The time of the first request, milliseconds. */
  readonly from: number;
  /** Requests from `start` on. */
  readonly count: number;
  /** The first bit that counts; those before it are of requests that have left the window. */
  readonly start: number;
  /** The end of the bits in use; the last one is a 1. */
  readonly end: number;
  readonly bits: Uint8Array;
}

/** The time of the last request. */
export function newestOf({ from, count, start, end }: PackedStamps): number {
  return from + (end - start) - count;
}

/** The times `added`, in order and none before the last packed one, after those of `packed`. */
export function packStamps(
  packed: PackedStamps | undefined,
  added: readonly number[],
): PackedStamps | undefined {
  const [first] = added;
  if (first === undefined) return packed;
  const before = packed ?? { from: first, count: 0, start: 0, end: 0, bits: new Uint8Array() };
  // Whole bytes of expired requests are dropped.
  const dropped = before.start >> 3;
  let end = before.end - dropped * 8;
  let time = newestOf(before);
  const bits = new Uint8Array((end + added.at(-1)! - time + added.length + 7) >> 3);
  bits.set(before.bits.subarray(dropped, (before.end + 7) >> 3));
  for (const stamp of added) {
    end += stamp - time;
    time = stamp;
    bits[end >> 3]! |= 1 << (end & 7);
    end++;
  }
  const count = before.count + added.length;
  return { from: before.from, count, start: before.start - dropped * 8, end, bits };
}

/** The first `most` times, by default all of them. */
export function unpackStamps(packed: PackedStamps | undefined, most = Infinity): number[] {
  if (packed === undefined) return [];
  const { bits, end } = packed;
  const stamps: number[] = [];
  let time = packed.from;
  for (let i = packed.start; i < end && stamps.length < most; i++) {
    if (isSet(bits, i)) stamps.push(time);
    else time++;
  }
  return stamps;
}

/** The time of request `n`, from 0; there must be one. */
export function stampAt({ bits, from, start }: PackedStamps, n: number): number {
  let time = from;
  for (let i = start, passed = 0;; i++) {
    if (!isSet(bits, i)) time++;
    else if (passed++ === n) return time;
  }
}

/** Without the requests before `since`; `undefined` if none is left. Copies no bits. */
export function dropBefore(
  packed: PackedStamps | undefined,
  since: number,
): PackedStamps | undefined {
  if (packed === undefined || newestOf(packed) < since) return undefined;
  let { from, count, start } = packed;
  if (from >= since) return packed;
  for (; from < since || !isSet(packed.bits, start); start++) {
    if (isSet(packed.bits, start)) count--;
    else from++;
  }
  return { ...packed, from, count, start };
}

function isSet(bits: Uint8Array, i: number): boolean {
  return (bits[i >> 3]! >> (i & 7) & 1) === 1;
}
