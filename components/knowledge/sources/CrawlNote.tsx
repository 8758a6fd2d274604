import { CRAWL_ERROR_LABELS } from "@/lib/dashboard/knowledge/source_labels.ts";
import type { CrawlError, WebSource } from "@/lib/schemas/web_source.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** What the crawl in progress, or else the last one, has done, and why it ended early. */
export function CrawlNote({ source: { progress, lastCrawl, state } }: { source: WebSource }) {
  const counts = progress ?? lastCrawl?.counts;
  const error = state === "idle" ? lastCrawl?.error : undefined;
  return (
    <>
      {counts && (
        <p class="help">
          {t(
            "{added} new, {changed} changed, {unchanged} unchanged, {removed} removed, {skipped} skipped, {failed} failed",
            counts,
          )}
        </p>
      )}
      {error !== undefined && (
        <p class="field-error">{t(CRAWL_ERROR_LABELS[error as CrawlError] ?? error)}</p>
      )}
    </>
  );
}
