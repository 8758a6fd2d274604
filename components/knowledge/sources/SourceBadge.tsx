import { SOURCE_STATE_LABELS } from "@/lib/dashboard/knowledge/source_labels.ts";
import type { WebSource } from "@/lib/schemas/web_source.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Whether a website is being read. */
export function SourceBadge({ source: { state, lastCrawl } }: { source: WebSource }) {
  if (state === "idle" && lastCrawl?.error !== undefined) {
    return <span class="badge badge-revoked">{t("Failed")}</span>;
  }
  const name = state === "idle" ? "badge badge-active" : "badge badge-expired";
  return <span class={name}>{t(SOURCE_STATE_LABELS[state])}</span>;
}
