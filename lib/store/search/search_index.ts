import { keys } from "../keys/keys.ts";
import { readMany } from "../values/chunks.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import {
  bucketSchema,
  type IndexedRun,
  placeSchema,
  type RecentRun,
  recentRunSchema,
  searchStateSchema,
  type Segment,
  segmentSchema,
  spanSchema,
} from "./search_records.ts";
import { mayMatch, type RunFilter, spanOf } from "./search_span.ts";
import {
  bucketOf,
  findRuns,
  packSegment,
  removeRuns,
  SEGMENT_BUCKETS,
  SEGMENT_RUNS,
} from "./search_segment.ts";

/**
 * A search continues after this run of its segment, with the segments before it. Times do not order
 * segments: a run may be indexed long after it ended.
 */
export type MatchCursor = [at: number, runId: string, segment: number];

/** A run that may have all terms: hashes can collide. */
export interface Match {
  run: IndexedRun;
  segment: number;
}

/** The runs of a segment that have a term, by number. */
interface Postings {
  runs: Uint8Array;
  versionstamp: string;
}

interface MatchingSegment {
  segment: number;
  numbers: number[];
  /** Of its postings. */
  versionstamp: string;
}

/** The segment number of runs that are in none yet. */
const RECENT = Number.MAX_SAFE_INTEGER;
/** Steps of one deletion: runs of a long conversation may be in many segments. */
const MAX_STEPS = 2 * SEGMENT_RUNS;
const LIST_OPTIONS = { batchSize: 500 } as const;

/**
 * The words of a tenant's conversations as keyed hashes. New runs are entries of their own; 256 of them
 * become one segment, whose postings are divided among 64 values, so that a search of 100,000 runs reads
 * some 400 small values for each word.
 */
export class SearchIndex {
  readonly #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  /** The runs that may have all terms, roughly latest first. */
  async *find(
    tenant: string,
    { hashes, filter = {}, after, now }: {
      hashes: readonly number[];
      /** Segments without such runs are skipped; a match need not be one of these runs. */
      filter?: RunFilter;
      after?: MatchCursor | undefined;
      now: number;
    },
  ): AsyncGenerator<Match> {
    const isWanted = (run: IndexedRun, segment: number) =>
      run.exp > now && (segment !== after?.[2] || isOlder(run, after));
    if (after === undefined || after[2] === RECENT) {
      const recent = await this.#recent(tenant);
      const found = recent.filter((run) => isWanted(run, RECENT) && hasTerms(run, hashes));
      for (const run of found.sort(latestFirst)) yield { run, segment: RECENT };
    }
    const [segments, skipped] = await Promise.all([
      this.#matchingSegments(tenant, { hashes, from: after?.[2] }),
      this.#segmentsWithout(tenant, filter),
    ]);
    for (const { segment, numbers, versionstamp } of segments) {
      if (skipped.get(segment) === versionstamp) continue;
      const entry = await this.#kv.get(keys.searchSegment(tenant, segment));
      const { runs } = parseRecord(segmentSchema, entry) ?? { runs: [] };
      const found = numbers.flatMap((n) => runs[n] ?? []).filter((run) => isWanted(run, segment));
      for (const run of found.sort(latestFirst)) yield { run, segment };
    }
  }

  /** Segments with runs that have all terms, latest first. */
  async #matchingSegments(
    tenant: string,
    { hashes, from }: { hashes: readonly number[]; from: number | undefined },
  ): Promise<MatchingSegment[]> {
    const postings = await Promise.all(
      hashes.map((hash) => this.#postings(tenant, { hash, from })),
    );
    const [first = new Map<number, Postings>(), ...rest] = postings;
    const matching = [...first].flatMap(([segment, { runs, versionstamp }]): MatchingSegment[] => {
      const numbers = [...runs].filter((run) =>
        rest.every((other) => other.get(segment)?.runs.includes(run))
      );
      return numbers.length === 0 ? [] : [{ segment, numbers, versionstamp }];
    });
    return matching.sort((a, b) => b.segment - a.segment);
  }

  /**
   * Those that have no run of the filter, each with the version at which that holds. A release without spans
   * changes postings alone: they have another version than the span then, which no longer counts.
   */
  async #segmentsWithout(tenant: string, filter: RunFilter): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    if (Object.values(filter).every((value) => value === undefined)) return found;
    for await (const entry of this.#kv.list({ prefix: keys.searchSpans(tenant) }, LIST_OPTIONS)) {
      if (mayMatch(parseRecord(spanSchema, entry)!, filter)) continue;
      found.set(Number(entry.key.at(-1)), entry.versionstamp);
    }
    return found;
  }

  async #postings(
    tenant: string,
    { hash, from = RECENT }: { hash: number; from: number | undefined },
  ): Promise<Map<number, Postings>> {
    const prefix = keys.searchBuckets(tenant, bucketOf(hash));
    const found = new Map<number, Postings>();
    const selector = { prefix, end: [...prefix, from === RECENT ? RECENT : from + 1] };
    for await (const entry of this.#kv.list(selector, LIST_OPTIONS)) {
      const runs = findRuns(parseRecord(bucketSchema, entry)!.postings, hash);
      const { versionstamp } = entry;
      if (runs !== undefined) found.set(Number(entry.key.at(-1)), { runs, versionstamp });
    }
    return found;
  }

  async #recent(tenant: string): Promise<RecentRun[]> {
    const prefix = keys.searchRecents(tenant);
    const entries = this.#kv.list({ prefix }, LIST_OPTIONS);
    return await Array.fromAsync(entries, (entry) => parseRecord(recentRunSchema, entry)!);
  }

  /** Makes segments of new runs while there are enough of them. */
  async merge(tenant: string, now: number): Promise<void> {
    await retryUntilCommitted(async () => {
      const stateEntry = await this.#kv.get(keys.searchState(tenant));
      const state = parseRecord(searchStateSchema, stateEntry);
      if (state === undefined || state.recent < SEGMENT_RUNS) return true;
      const recent = (await this.#recent(tenant)).sort(latestFirst).reverse();
      const step = this.#kv.atomic().check(stateEntry);
      const runs = recent.length < SEGMENT_RUNS ? [] : recent.slice(0, SEGMENT_RUNS);
      const next = state.next + (runs.length === 0 ? 0 : 1);
      step.set(stateEntry.key, { ...state, next, recent: recent.length - runs.length });
      if (runs.length > 0) writeSegment(step, { tenant, segment: state.next, runs, now });
      // Again, until too few are left.
      return (await step.commit()).ok && runs.length === 0 ? true : undefined;
    }, { what: "search index", tries: MAX_STEPS });
  }

  /** Deletes everything that the index has about these runs. */
  async erase(tenant: string, runIds: readonly string[], now: number): Promise<void> {
    for (let at = 0; at < runIds.length; at += SEGMENT_RUNS) {
      const some = runIds.slice(at, at + SEGMENT_RUNS);
      const erase = () => this.#eraseStep(tenant, some, now);
      await retryUntilCommitted(erase, { what: "search index", tries: MAX_STEPS });
    }
    if (runIds.length > 0) await this.#deleteStateIfEmpty(tenant);
  }

  /** Erases the runs outside segments and those of one segment; `undefined` until none is left. */
  async #eraseStep(
    tenant: string,
    runIds: readonly string[],
    now: number,
  ): Promise<true | undefined> {
    const stateEntry = await this.#kv.get(keys.searchState(tenant));
    const state = parseRecord(searchStateSchema, stateEntry);
    if (state === undefined) return true;
    const places = await readMany(this.#kv, runIds.map((id) => keys.searchPlace(tenant, id)));
    const segments = places.map((entry) => parseRecord(placeSchema, entry)?.segment);
    const segment = segments.find((one) => one !== undefined);
    const step = this.#kv.atomic().check(stateEntry).set(stateEntry.key, { ...state });
    for (const id of runIds) step.delete(keys.searchRecent(tenant, id));
    if (segment !== undefined) {
      const ids = runIds.filter((_id, n) => segments[n] === segment);
      await this.#eraseFrom(segment, { tenant, ids, step, now });
    }
    return (await step.commit()).ok && segment === undefined ? true : undefined;
  }

  async #eraseFrom(
    segment: number,
    { tenant, ids, step, now }: {
      tenant: string;
      ids: readonly string[];
      step: Deno.AtomicOperation;
      now: number;
    },
  ): Promise<void> {
    const key = keys.searchSegment(tenant, segment);
    const known = parseRecord(segmentSchema, await this.#kv.get(key))?.runs ?? [];
    const runs = known.map((run) => run !== null && ids.includes(run.runId) ? null : run);
    for (const id of ids) step.delete(keys.searchPlace(tenant, id));
    const bucketKeys = Array.from(
      { length: SEGMENT_BUCKETS },
      (_, bucket) => keys.searchBucket(tenant, bucket, segment),
    );
    const left = runs.filter((run) => run !== null);
    if (left.length === 0) {
      for (const one of [key, keys.searchSpan(tenant, segment), ...bucketKeys]) step.delete(one);
      return;
    }
    const options = { expireIn: Math.max(1, maxExpiry(left) - now) };
    step.set(key, { v: 1, runs } satisfies Segment, options);
    step.set(keys.searchSpan(tenant, segment), spanOf(left), options);
    const doomed = new Set(runs.flatMap((run, n) => run === null ? [n] : []));
    for (const entry of await readMany(this.#kv, bucketKeys)) {
      const postings = parseRecord(bucketSchema, entry)?.postings;
      const kept = postings && removeRuns(postings, doomed);
      if (kept === undefined) step.delete(entry.key);
      else step.set(entry.key, { v: 1, postings: kept }, options);
    }
  }

  /** So that nothing is left of a tenant whose conversations are all deleted. */
  async #deleteStateIfEmpty(tenant: string): Promise<void> {
    const state = await this.#kv.get(keys.searchState(tenant));
    for (const prefix of [keys.searchRecents(tenant), keys.searchSegments(tenant)]) {
      for await (const _entry of this.#kv.list({ prefix }, { limit: 1 })) return;
    }
    // If a run was indexed meanwhile, the state stays.
    await this.#kv.atomic().check(state).delete(state.key).commit();
  }
}

function writeSegment(
  step: Deno.AtomicOperation,
  { tenant, segment, runs, now }: {
    tenant: string;
    segment: number;
    runs: readonly RecentRun[];
    now: number;
  },
): void {
  const options = { expireIn: Math.max(1, maxExpiry(runs) - now) };
  const entries = runs.map(({ terms: _terms, v: _v, ...run }) => run);
  step.set(keys.searchSegment(tenant, segment), { v: 1, runs: entries } satisfies Segment, options);
  step.set(keys.searchSpan(tenant, segment), spanOf(runs), options);
  for (const [bucket, postings] of packSegment(runs.map(({ terms }) => unpackHashes(terms)))) {
    step.set(keys.searchBucket(tenant, bucket, segment), { v: 1, postings }, options);
  }
  for (const { runId, exp } of runs) {
    const expireIn = Math.max(1, exp - now);
    step.set(keys.searchPlace(tenant, runId), { v: 1, segment }, { expireIn });
    step.delete(keys.searchRecent(tenant, runId));
  }
}

function maxExpiry(runs: readonly IndexedRun[]): number {
  return Math.max(...runs.map(({ exp }) => exp));
}

function isOlder(run: IndexedRun, [at, runId]: MatchCursor): boolean {
  return run.at < at || (run.at === at && run.runId < runId);
}

function latestFirst(a: IndexedRun, b: IndexedRun): number {
  return b.at - a.at || (a.runId < b.runId ? 1 : -1);
}

function hasTerms({ terms }: RecentRun, hashes: readonly number[]): boolean {
  const known = new Set(unpackHashes(terms));
  return hashes.every((hash) => known.has(hash));
}

export function packHashes(hashes: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(hashes.length * 4));
  hashes.forEach((hash, n) => view.setUint32(n * 4, hash));
  return new Uint8Array(view.buffer);
}

function unpackHashes(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 4 }, (_, n) => view.getUint32(n * 4));
}
