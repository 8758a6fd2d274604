import { formatCount, formatPercent } from "@/lib/dashboard/format_amount.ts";
import { formatDay } from "@/lib/dashboard/format_day.ts";
import { percentUp } from "@/lib/dashboard/usage/feedback_trend.ts";
import type { DayRatings } from "@/lib/store/feedback/feedback_counts.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Ratings of each day: the values of the chart above. */
export function RatingsTable({ days }: { days: readonly DayRatings[] }) {
  const caption = t("Ratings by day");
  return (
    <div class="table-box" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t("Day (UTC)")}</th>
            <th scope="col" class="number">{t("Rated up")}</th>
            <th scope="col" class="number">{t("Rated down")}</th>
            <th scope="col" class="number">{t("Share rated up")}</th>
          </tr>
        </thead>
        <tbody>
          {days.map((one) => {
            const share = percentUp(one);
            return (
              <tr key={one.day}>
                <th scope="row">{formatDay(one.day)}</th>
                <td class="number">{formatCount(one.up)}</td>
                <td class="number">{formatCount(one.down)}</td>
                <td class="number">{share === undefined ? "–" : formatPercent(share)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
