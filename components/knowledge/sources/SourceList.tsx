import { DescriptionList } from "@/components/DescriptionList.tsx";
import { Time } from "@/components/Time.tsx";
import { SCHEDULE_LABELS } from "@/lib/dashboard/knowledge/source_labels.ts";
import type { WebSource } from "@/lib/schemas/web_source.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { CrawlNote } from "./CrawlNote.tsx";
import { SourceBadge } from "./SourceBadge.tsx";

/** The websites of a base, oldest first. */
export function SourceList(
  { sources, path, now }: { sources: readonly WebSource[]; path: string; now: number },
) {
  return (
    <ul class="rows" aria-label={t("Websites")}>
      {sources.map((source) => (
        <li key={source.id} class="row document">
          <div class="row-main">
            <p class="row-name">
              <a class="row-link source-name" href={`${path}/${source.id}`}>{source.url}</a>
              <SourceBadge source={source} />
            </p>
            <CrawlNote source={source} />
          </div>
          <DescriptionList
            class="facts"
            of={{
              [t("Refresh")]: t(SCHEDULE_LABELS[source.schedule]),
              [t("Last read")]: source.lastCrawl && (
                <Time
                  at={source.lastCrawl.endedAt}
                  now={now}
                />
              ),
            }}
          />
        </li>
      ))}
    </ul>
  );
}
