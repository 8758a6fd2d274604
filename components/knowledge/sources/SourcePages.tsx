import { DescriptionList } from "@/components/DescriptionList.tsx";
import { Time } from "@/components/Time.tsx";
import { PAGE_STATE_LABELS, SKIP_REASON_LABELS } from "@/lib/dashboard/knowledge/source_labels.ts";
import type { WebPage } from "@/lib/schemas/web_source.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

const BADGES: Record<WebPage["state"], string> = {
  stored: "badge badge-active",
  skipped: "badge",
  failed: "badge badge-revoked",
};

/** The pages of a website, and why one is no document. */
export function SourcePages({ pages, now }: { pages: readonly WebPage[]; now: number }) {
  return (
    <ul class="rows" aria-label={t("Pages")}>
      {pages.map((page) => (
        <li key={page.url} class="row document">
          <div class="row-main">
            <p class="row-name">
              {page.title !== undefined && <bdi>{page.title}</bdi>}
              <span class={BADGES[page.state]}>{t(PAGE_STATE_LABELS[page.state])}</span>
            </p>
            <p class="row-text">
              <a href={page.url} rel="noreferrer nofollow">{page.url}</a>
            </p>
            {page.reason !== undefined && (
              <p class="row-text">
                {t(SKIP_REASON_LABELS[page.reason])}
                {page.state === "failed" && page.documentId !== undefined &&
                  ` ${t("What was read earlier stays.")}`}
              </p>
            )}
          </div>
          <DescriptionList
            class="facts"
            of={{
              [t("Status")]: page.status,
              [t("Checked")]: <Time at={page.checkedAt} now={now} />,
            }}
          />
        </li>
      ))}
    </ul>
  );
}
