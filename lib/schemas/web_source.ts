import { z } from "zod";
import { countSchema as count, nextCursorSchema as nextCursor } from "./value_schemas.ts";
import { WEB_SOURCE_BOUNDS } from "./limits.ts";
import { plainText } from "./plain_text.ts";

export const WEB_SOURCE_KINDS = ["page", "sitemap", "site"] as const;
export type WebSourceKind = typeof WEB_SOURCE_KINDS[number];
export const CRAWL_SCHEDULES = ["off", "daily", "weekly"] as const;
export type CrawlSchedule = typeof CRAWL_SCHEDULES[number];

/** Why a page of a website is no document. */
export const SKIP_REASONS = [
  "robots",
  "noindex",
  "canonical",
  "duplicate",
  "other_host",
  "redirects",
  "type",
  "too_large",
  "gone",
  "status",
  "timeout",
  "unreachable",
  "unreadable",
  "full",
] as const;
export type SkipReason = typeof SKIP_REASONS[number];

/** Why a crawl ended early. */
export const CRAWL_ERRORS = [
  "address_not_allowed",
  "robots_unavailable",
  "site_unavailable",
  "no_sitemap",
  "out_of_time",
  "full",
  "interrupted",
] as const;
export type CrawlError = typeof CRAWL_ERRORS[number];

const url = plainText(z.string().min(1).max(WEB_SOURCE_BOUNDS.urlLength))
  .refine(isWebUrl, "must be an http or https URL without a user name or password");
const maxPages = z.int().min(1).max(WEB_SOURCE_BOUNDS.pages);
const schedule = z.enum(CRAWL_SCHEDULES).describe("How often the pages are read again.");

/** Body of `POST /v1/knowledge-bases/:id/sources`. */
export const webSourceBodySchema = z.strictObject({
  url: url.describe("The page, the sitemap, or the page to start from. Only its host is asked."),
  kind: z.enum(WEB_SOURCE_KINDS)
    .describe("`page` reads one page, `sitemap` those listed, `site` follows links."),
  maxPages: maxPages.optional()
    .describe(`${WEB_SOURCE_BOUNDS.defaultPages} by default; one for a \`page\`.`),
  schedule: schedule.optional(),
});
export type WebSourceBody = z.infer<typeof webSourceBodySchema>;

/** Body of `PATCH /v1/knowledge-bases/:id/sources/:sourceId`. */
export const webSourcePatchSchema = z.strictObject({
  maxPages: maxPages.optional(),
  schedule: schedule.optional(),
});
export type WebSourcePatch = z.infer<typeof webSourcePatchSchema>;

/** What a crawl did, in pages. */
export const crawlCountsSchema = z.object({
  added: count,
  changed: count,
  unchanged: count,
  removed: count.describe("Pages that are gone."),
  skipped: count.describe("Pages that are no documents."),
  failed: count.describe("Pages that could not be read. Their earlier content stays."),
});
export type CrawlCounts = z.infer<typeof crawlCountsSchema>;

const lastCrawlSchema = z.object({
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  counts: crawlCountsSchema,
  leftOut: z.boolean().describe("Whether there are more pages than `maxPages`."),
  error: z.string().optional().describe(`Why it ended early: ${CRAWL_ERRORS.join(", ")}.`),
});

export const webSourceSchema = z.object({
  id: z.uuid(),
  url: z.string(),
  kind: z.enum(WEB_SOURCE_KINDS),
  maxPages: count,
  schedule: z.enum(CRAWL_SCHEDULES),
  state: z.enum(["waiting", "crawling", "idle"])
    .describe("`waiting` for a process to begin the crawl."),
  progress: crawlCountsSchema.optional().describe("Of the crawl in progress."),
  lastCrawl: lastCrawlSchema.optional(),
  nextCrawlAt: z.iso.datetime().optional(),
  createdAt: z.iso.datetime(),
});
export type WebSource = z.infer<typeof webSourceSchema>;

export const webPageSchema = z.object({
  url: z.string(),
  state: z.enum(["stored", "skipped", "failed"])
    .describe("`failed` pages could not be read in the last crawl; their document, if any, stays."),
  reason: z.enum(SKIP_REASONS).optional(),
  status: z.int().optional().describe("The HTTP status, if there was a response."),
  documentId: z.uuid().optional(),
  title: z.string().optional(),
  checkedAt: z.iso.datetime(),
});
export type WebPage = z.infer<typeof webPageSchema>;

export const webSourceListSchema = z.object({
  data: z.array(webSourceSchema).describe("Oldest first."),
});

/** Answer of `GET /v1/knowledge-bases/:id/sources/:sourceId`. */
export const webSourceReportSchema = webSourceSchema.extend({
  pages: z.array(webPageSchema).describe("In no particular order."),
  nextCursor,
});
export type WebSourceReport = z.infer<typeof webSourceReportSchema>;

/** By their names in the API document. */
export const WEB_SOURCE_SCHEMAS = {
  WebSource: webSourceSchema,
  WebSourceBody: webSourceBodySchema,
  WebSourcePatch: webSourcePatchSchema,
  WebSourceList: webSourceListSchema,
  WebSourceReport: webSourceReportSchema,
  WebPage: webPageSchema,
};

function isWebUrl(text: string): boolean {
  const parsed = URL.parse(text);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === "" &&
    parsed.password === "";
}
