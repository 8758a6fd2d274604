import type { CrawlScope } from "./crawl_scope.ts";
import type { FetchedPage, PageFetcher } from "./page_fetcher.ts";
import { MAX_ROBOTS_BYTES, RobotsRules } from "./robots_rules.ts";

const MAX_REDIRECTS = 5;

/** A site whose `robots.txt` cannot be read: until it can, nothing may be fetched. */
export class RobotsUnavailableError extends Error {
  override name = "RobotsUnavailableError";
}

interface RobotsCacheOptions {
  fetcher: PageFetcher;
  scope: CrawlScope;
  signal: AbortSignal;
}

/** The rules of each origin of a site, which are read once in a crawl. */
export class RobotsCache {
  readonly #options: RobotsCacheOptions;
  readonly #rules = new Map<string, RobotsRules>();

  constructor(options: RobotsCacheOptions) {
    this.#options = options;
  }

  /** Throws `RobotsUnavailableError` or `AddressNotAllowedError`. */
  async rulesOf({ origin }: URL): Promise<RobotsRules> {
    const known = this.#rules.get(origin);
    if (known !== undefined) return known;
    const rules = await this.#load(new URL("/robots.txt", origin));
    this.#rules.set(origin, rules);
    return rules;
  }

  /** As RFC 9309 has it: 4xx allows everything, 5xx and no response nothing. */
  async #load(start: URL): Promise<RobotsRules> {
    const { fetcher, scope, signal } = this.#options;
    let url = start;
    for (let n = 0; n <= MAX_REDIRECTS; n++) {
      const page = await fetcher.fetch(url, { signal, maxBytes: MAX_ROBOTS_BYTES, truncate: true });
      if (page.kind === "content") return new RobotsRules(new TextDecoder().decode(page.bytes));
      if (page.kind !== "redirect") return rulesWithout(page);
      const next = scope.resolve(page.location, url);
      if (next === undefined) break;
      url = next;
    }
    throw new RobotsUnavailableError();
  }
}

/** Too many requests is the one 4xx that asks the crawler to stop. */
function rulesWithout(page: Exclude<FetchedPage, { kind: "content" | "redirect" }>): RobotsRules {
  const status = page.kind === "no_content" ? page.status ?? 0 : 0;
  if (status >= 400 && status < 500 && status !== 429) return new RobotsRules();
  throw new RobotsUnavailableError();
}
