import { gunzip } from "node:zlib";
import { promisify } from "node:util";
import { DocumentParseError } from "../ingest/document_parse_error.ts";
import type { WorkerPool } from "../ingest/worker/worker_pool.ts";
import type { CrawlScope } from "./crawl_scope.ts";
import { MAX_PAGE_BYTES, type PageFetcher } from "./page_fetcher.ts";
import type { RobotsCache } from "./robots_cache.ts";

const MAX_SITEMAPS = 50;
const unzip = promisify(gunzip);

interface SitemapDeps {
  fetcher: PageFetcher;
  robots: RobotsCache;
  scope: CrawlScope;
  workers: Pick<WorkerPool, "run">;
  tenant: string;
  signal: AbortSignal;
  /** Called after each file. */
  onRead: () => Promise<void>;
}

/**
 * The pages that a sitemap lists, with those of the sitemaps that it lists, each read once; at most
 * `maxPages`. `undefined` if the first one cannot be read.
 */
export async function loadSitemaps(
  start: URL,
  { maxPages, ...deps }: SitemapDeps & { maxPages: number },
): Promise<URL[] | undefined> {
  const { scope } = deps;
  const pages = new Map<string, URL>();
  const queue = [start];
  const seen = new Set([start.href]);
  let isAnyRead = false;
  for (let n = 0; n < queue.length && n < MAX_SITEMAPS && pages.size < maxPages; n++) {
    const read = await readOne(queue[n]!, deps);
    await deps.onRead();
    if (read === undefined) continue;
    isAnyRead ||= read.redirect === undefined;
    for (const link of [...read.sitemaps, ...read.redirect ?? []]) {
      const url = scope.resolve(link, queue[n]);
      if (url === undefined || seen.has(url.href) || seen.size > MAX_SITEMAPS) continue;
      seen.add(url.href);
      queue.push(url);
    }
    for (const link of read.pages) {
      const url = scope.resolve(link);
      if (url !== undefined && pages.size < maxPages) pages.set(url.href, url);
    }
  }
  return isAnyRead ? [...pages.values()] : undefined;
}

async function readOne(
  url: URL,
  { fetcher, robots, workers, tenant, signal }: SitemapDeps,
): Promise<{ pages: string[]; sitemaps: string[]; redirect?: string[] } | undefined> {
  const rules = await robots.rulesOf(url);
  if (!rules.allows(url)) return undefined;
  const page = await fetcher.fetch(url, { signal, delayMs: rules.delayMs });
  if (page.kind === "redirect") return { pages: [], sitemaps: [], redirect: [page.location] };
  if (page.kind !== "content") return undefined;
  const bytes = await decompress(page.bytes);
  if (bytes === undefined) return undefined;
  try {
    const result = await workers.run({ kind: "sitemap", bytes }, { tenant, signal });
    return result.kind === "sitemap" ? result : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DocumentParseError) return undefined;
    throw error;
  }
}

/** A sitemap may be a gzip file; `undefined` for a damaged one, or for one that is too large. */
async function decompress(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    const unzipped: Uint8Array = await unzip(bytes, { maxOutputLength: MAX_PAGE_BYTES });
    return new Uint8Array(unzipped);
  } catch {
    return undefined;
  }
}
