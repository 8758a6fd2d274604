import { t } from "@/lib/dashboard/texts/translate.ts";
/** Links to the previous and next page of a list. */
export function Pagination({ previous, next }: { previous?: string; next?: string }) {
  if (previous === undefined && next === undefined) return null;
  return (
    <nav class="pager" aria-label={t("Pages")}>
      {previous && <a class="button" href={previous} aria-current="false">{t("Previous")}</a>}
      {next && <a class="button" href={next} aria-current="false">{t("Next")}</a>}
    </nav>
  );
}
