/** Runs of one segment: their numbers fit into a byte. */
export const SEGMENT_RUNS = 256;
/** The postings of a segment are divided by hash, so that a search reads a 64th of them. */
export const SEGMENT_BUCKETS = 64;

export function bucketOf(hash: number): number {
  return hash % SEGMENT_BUCKETS;
}

/**
 * Packs the postings of a segment: one value per bucket, in which each hash is followed by how many runs
 * have the term and by their numbers.
 */
export function packSegment(runs: readonly (readonly number[])[]): Map<number, Uint8Array> {
  const byHash = new Map<number, number[]>();
  runs.forEach((hashes, run) => {
    for (const hash of new Set(hashes)) {
      const known = byHash.get(hash);
      if (known === undefined) byHash.set(hash, [run]);
      else known.push(run);
    }
  });
  const buckets = new Map<number, [number, number[]][]>();
  for (const posting of byHash) {
    const bucket = bucketOf(posting[0]);
    const known = buckets.get(bucket);
    if (known === undefined) buckets.set(bucket, [posting]);
    else known.push(posting);
  }
  return new Map([...buckets].map(([bucket, postings]) => [bucket, packPostings(postings)]));
}

/** The runs in a bucket that have the term. Every search reads hundreds of buckets: no allocations. */
export function findRuns(bucket: Uint8Array, hash: number): Uint8Array | undefined {
  const view = new DataView(bucket.buffer, bucket.byteOffset, bucket.byteLength);
  for (let at = 0; at < bucket.length;) {
    const count = bucket[at + 4] || SEGMENT_RUNS;
    if (view.getUint32(at) === hash) return bucket.subarray(at + 5, at + 5 + count);
    at += 5 + count;
  }
  return undefined;
}

/** The bucket without some runs; `undefined` if nothing is left. */
export function removeRuns(
  bucket: Uint8Array,
  doomed: ReadonlySet<number>,
): Uint8Array | undefined {
  const left: [number, number[]][] = [];
  for (const { hash, runs } of postingsIn(bucket)) {
    const kept = [...runs].filter((run) => !doomed.has(run));
    if (kept.length > 0) left.push([hash, kept]);
  }
  return left.length === 0 ? undefined : packPostings(left);
}

function packPostings(postings: readonly [hash: number, runs: readonly number[]][]): Uint8Array {
  const bytes = new Uint8Array(postings.reduce((sum, [, runs]) => sum + 5 + runs.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [hash, runs] of postings) {
    view.setUint32(at, hash);
    // A byte: the count of 256 runs is stored as 0, because no posting is empty.
    view.setUint8(at + 4, runs.length);
    bytes.set(runs, at + 5);
    at += 5 + runs.length;
  }
  return bytes;
}

function* postingsIn(bytes: Uint8Array): Generator<{ hash: number; runs: Uint8Array }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    const count = view.getUint8(at + 4) || SEGMENT_RUNS;
    yield { hash: view.getUint32(at), runs: bytes.subarray(at + 5, at + 5 + count) };
    at += 5 + count;
  }
}
