import { WEB_SOURCE_BOUNDS } from "../../schemas/limits.ts";

/** Parameters that only tell a site where a visitor came from. */
const TRACKING = /^(?:utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|_ga|ref_src)$/i;

/**
 * The one site that a crawl may ask: the host and port of its start, with or without `www.`. It may
 * continue from http to https, never back.
 */
export class CrawlScope {
  readonly #start: URL;
  readonly #name: string;

  constructor(start: URL) {
    this.#start = start;
    this.#name = bareName(start);
  }

  /** For the egress guard, which checks every request against them. */
  get allowedDomains(): string[] {
    const port = this.#start.port;
    // A default port is that of the scheme.
    const suffix = port === "" ? "" : `:${port}`;
    const names = isAddress(this.#name) ? [this.#name] : [this.#name, `www.${this.#name}`];
    return names.map((name) => name + suffix);
  }

  includes(url: URL): boolean {
    const isSecureEnough = url.protocol === this.#start.protocol || url.protocol === "https:";
    return isSecureEnough && bareName(url) === this.#name && url.port === this.#start.port;
  }

  /** The page that a link leads to; `undefined` if it is no page of this site. */
  resolve(link: string, base?: URL): URL | undefined {
    if (link.length > WEB_SOURCE_BOUNDS.urlLength) return undefined;
    const url = URL.parse(link, base);
    if (url === null || url.username !== "" || url.password !== "") return undefined;
    const normal = normalizeUrl(url);
    // Old links of a site that has moved to https; `includes` allows no way back to http.
    const isOldLink = this.#start.protocol === "https:" && normal.protocol === "http:";
    if (isOldLink && normal.port === "") normal.protocol = "https:";
    if (normal.href.length > WEB_SOURCE_BOUNDS.urlLength) return undefined;
    return this.includes(normal) ? normal : undefined;
  }
}

/** Without what does not change the page: the fragment, and parameters of campaigns. */
export function normalizeUrl(url: URL): URL {
  const normal = new URL(url);
  normal.hash = "";
  normal.hostname = normal.hostname.replace(/\.$/, "");
  const names = [...new Set(normal.searchParams.keys())];
  // Not touched without need, because that would encode the others again.
  for (const name of names.filter((name) => TRACKING.test(name))) normal.searchParams.delete(name);
  return normal;
}

function bareName({ hostname }: URL): string {
  return hostname.replace(/\.$/, "").replace(/^www\.(?=.*\.)/, "");
}

function isAddress(name: string): boolean {
  return name.startsWith("[") || /^[\d.]+$/.test(name);
}
