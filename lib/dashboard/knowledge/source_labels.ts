import type {
  CrawlError,
  CrawlSchedule,
  SkipReason,
  WebPage,
  WebSource,
  WebSourceKind,
} from "../../schemas/web_source.ts";
import { msg } from "../texts/translate.ts";

export const KIND_LABELS: Record<WebSourceKind, string> = {
  site: msg("The page and what it links to"),
  sitemap: msg("The pages of a sitemap"),
  page: msg("This page only"),
};

export const SCHEDULE_LABELS: Record<CrawlSchedule, string> = {
  off: msg("Only when you refresh"),
  daily: msg("Every day"),
  weekly: msg("Every week"),
};

export const SOURCE_STATE_LABELS: Record<WebSource["state"], string> = {
  waiting: msg("Waiting"),
  crawling: msg("Reading"),
  idle: msg("Up to date"),
};

export const PAGE_STATE_LABELS: Record<WebPage["state"], string> = {
  stored: msg("Stored"),
  skipped: msg("Skipped"),
  failed: msg("Failed"),
};

export const SKIP_REASON_LABELS: Record<SkipReason, string> = {
  robots: msg("The site's robots.txt does not allow it."),
  noindex: msg("The page asks not to be stored (noindex)."),
  canonical: msg("The page names another one as its original."),
  duplicate: msg("Another page has the same content."),
  other_host: msg("It leads to another host."),
  redirects: msg("It leads to another page."),
  type: msg("This kind of file is not read."),
  too_large: msg("It is larger than 10 MiB."),
  gone: msg("There is no such page any more."),
  status: msg("The site answered with an error."),
  timeout: msg("The site did not answer in time."),
  unreachable: msg("The site could not be reached."),
  unreadable: msg("The page cannot be read."),
  full: msg("There are more pages than the website may have."),
};

export const CRAWL_ERROR_LABELS: Record<CrawlError, string> = {
  address_not_allowed: msg(
    "The address cannot be reached: it does not exist, is internal, or is not https.",
  ),
  robots_unavailable: msg("The site's robots.txt could not be read, so nothing may be read."),
  site_unavailable: msg("The site failed several times in a row. What was read earlier stays."),
  no_sitemap: msg("There is no sitemap at this address that can be read."),
  out_of_time: msg("Reading took longer than an hour and was stopped."),
  full: msg("The knowledge base or your plan has no room for more."),
  interrupted: msg("The service stopped several times while it read the site."),
};
