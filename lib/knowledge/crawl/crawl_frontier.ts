/** Of one path: more is a form or a calendar, not content. */
const MAX_QUERIES_PER_PATH = 50;

export interface FrontierEntry {
  url: URL;
  /** Links from the start. */
  depth: number;
  /** Redirects and canonical links on the way from a link. */
  hops: number;
}

/** The pages to fetch next, breadth first, each at most once. */
export class CrawlFrontier {
  readonly #queue: FrontierEntry[] = [];
  readonly #seen = new Set<string>();
  readonly #queries = new Map<string, number>();
  readonly #maxEntries: number;
  #next = 0;

  constructor({ maxEntries }: { maxEntries: number }) {
    this.#maxEntries = maxEntries;
  }

  /** False if it was added before, or is one too many. */
  add(entry: FrontierEntry): boolean {
    const { href, origin, pathname, search } = entry.url;
    if (this.#seen.has(href) || this.#seen.size >= this.#maxEntries) return false;
    if (search !== "") {
      const path = origin + pathname;
      const queries = this.#queries.get(path) ?? 0;
      if (queries >= MAX_QUERIES_PER_PATH) return false;
      this.#queries.set(path, queries + 1);
    }
    this.#seen.add(href);
    this.#queue.push(entry);
    return true;
  }

  has(url: URL): boolean {
    return this.#seen.has(url.href);
  }

  take(): FrontierEntry | undefined {
    return this.#next < this.#queue.length ? this.#queue[this.#next++] : undefined;
  }
}
