import { z } from "zod";
import { isoTime } from "../../platform/runtime.ts";
import {
  CRAWL_SCHEDULES,
  type CrawlCounts,
  crawlCountsSchema,
  type CrawlSchedule,
  SKIP_REASONS,
  WEB_SOURCE_KINDS,
  type WebPage,
  type WebSource,
} from "../../schemas/web_source.ts";

const DAY_MS = 86_400_000;
const INTERVAL_MS: Readonly<Record<CrawlSchedule, number | undefined>> = {
  off: undefined,
  daily: DAY_MS,
  weekly: 7 * DAY_MS,
};

/** A website whose pages are documents of a base. */
export const webSourceRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  url: z.string(),
  kind: z.enum(WEB_SOURCE_KINDS),
  maxPages: z.int().positive(),
  schedule: z.enum(CRAWL_SCHEDULES),
  createdAt: z.int(),
  last: z.object({
    startedAt: z.int(),
    endedAt: z.int(),
    counts: crawlCountsSchema,
    error: z.string().optional(),
    /** Pages were found that were more than `maxPages`. */
    leftOut: z.boolean().optional(),
  }).optional(),
});
export type WebSourceRecord = z.infer<typeof webSourceRecordSchema>;

/** When a source is crawled next. It exists while there is a next crawl. */
export const webSourceTaskSchema = z.object({
  v: z.literal(1),
  due: z.int(),
  /** A process has claimed the crawl until then; 0 if none has. */
  until: z.int(),
  /** How often it was claimed without an end. */
  tries: z.int().nonnegative(),
  /** Of the claimed crawl, whose id its pages carry. */
  crawl: z.object({ id: z.uuid(), startedAt: z.int(), counts: crawlCountsSchema }).optional(),
});
export type WebSourceTask = z.infer<typeof webSourceTaskSchema>;

/** What is known of a page since it was last fetched. */
export const webPageRecordSchema = z.object({
  v: z.literal(1),
  url: z.string(),
  /** The crawl that last saw it. */
  crawl: z.uuid(),
  state: z.enum(["stored", "skipped", "failed"]),
  /** Links from the start to the page. */
  depth: z.int().nonnegative(),
  reason: z.enum(SKIP_REASONS).optional().catch(undefined),
  status: z.int().optional(),
  documentId: z.uuid().optional(),
  title: z.string().optional(),
  /** Validators of the stored content, for conditional requests. */
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** SHA-256 of what the document was made from. */
  hash: z.string().optional(),
  checkedAt: z.int(),
});
export type WebPageRecord = z.infer<typeof webPageRecordSchema>;

export const NO_COUNTS: CrawlCounts = {
  ...{ added: 0, changed: 0, unchanged: 0, removed: 0, skipped: 0, failed: 0 },
};

export function nextCrawlAt(schedule: CrawlSchedule, from: number): number | undefined {
  const interval = INTERVAL_MS[schedule];
  return interval === undefined ? undefined : from + interval;
}

/** The source as the API returns it. */
export function toWebSource(
  { last, createdAt, v: _v, ...record }: WebSourceRecord,
  { task, now }: { task: WebSourceTask | undefined; now: number },
): WebSource {
  const isClaimed = task !== undefined && task.until > now;
  const isDue = task !== undefined && task.due <= now;
  return {
    ...record,
    state: isClaimed ? "crawling" : isDue ? "waiting" : "idle",
    ...isClaimed && task.crawl !== undefined && { progress: task.crawl.counts },
    ...last !== undefined && {
      lastCrawl: {
        startedAt: isoTime(last.startedAt),
        endedAt: isoTime(last.endedAt),
        counts: last.counts,
        ...last.error !== undefined && { error: last.error },
        leftOut: last.leftOut ?? false,
      },
    },
    ...task !== undefined && !isClaimed && !isDue && { nextCrawlAt: isoTime(task.due) },
    createdAt: isoTime(createdAt),
  };
}

/** The page as the API returns it. */
export function toWebPage(record: WebPageRecord): WebPage {
  const { url, state, reason, status, documentId, title, checkedAt } = record;
  return {
    ...{ url, state },
    ...reason !== undefined && { reason },
    ...status !== undefined && { status },
    ...documentId !== undefined && { documentId },
    ...title !== undefined && { title },
    checkedAt: isoTime(checkedAt),
  };
}
