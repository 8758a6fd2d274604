/** Keys of the search for words that were said: a part of `keys`, under the same rules. */
export const SEARCH_KEYS = {
  /** How far a tenant's index has come: `{ v, through, next, recent, keyMark }`. */
  searchState: (tenant: string) => ["search_states", tenant],
  searchStates: () => ["search_states"],
  /** A run outside segments, with the keyed hashes of its terms. */
  searchRecent: (tenant: string, runId: string) => ["search_recent", tenant, runId],
  searchRecents: (tenant: string) => ["search_recent", tenant],
  /** The runs of a segment by number. */
  searchSegment: (tenant: string, segment: number) => ["search_segments", tenant, segment],
  searchSegments: (tenant: string) => ["search_segments", tenant],
  /** What the runs of a segment have in common: `{ v, from, to, agents }`. */
  searchSpan: (tenant: string, segment: number) => ["search_spans", tenant, segment],
  searchSpans: (tenant: string) => ["search_spans", tenant],
  /** The postings of a segment whose hashes belong to the bucket. */
  searchBucket: (tenant: string, bucket: number, segment: number) => [
    "search_buckets",
    tenant,
    bucket,
    segment,
  ],
  searchBuckets: (tenant: string, bucket: number) => ["search_buckets", tenant, bucket],
  tenantSearchBuckets: (tenant: string) => ["search_buckets", tenant],
  /** The segment of a run: `{ v, segment }`. */
  searchPlace: (tenant: string, runId: string) => ["search_places", tenant, runId],
  searchPlaces: (tenant: string) => ["search_places", tenant],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
