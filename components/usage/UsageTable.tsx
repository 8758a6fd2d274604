import type { ComponentChildren } from "preact";
import type { Usage } from "@/lib/store/runs/usage_rows.ts";
import { formatCount, formatMicroUsd } from "@/lib/dashboard/format_amount.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface UsageTableRow {
  key: string;
  name: ComponentChildren;
  usage: Usage;
  /** The row's part of the chart's bars. */
  series?: number | undefined;
}

/** Usage totals, one row per name. */
export function UsageTable(
  { caption, heading, rows }: { caption: string; heading: string; rows: readonly UsageTableRow[] },
) {
  return (
    <div class="table-box" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col" class="number">{t("Cost")}</th>
            <th scope="col" class="number">{t("Runs")}</th>
            <th scope="col" class="number">{t("Errors")}</th>
            <th scope="col" class="number">{t("Input tokens")}</th>
            <th scope="col" class="number">{t("Output tokens")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, usage, series }) => (
            <tr key={key}>
              <th scope="row">
                {series !== undefined && <Swatch series={series} />}
                {name}
              </th>
              <td class="number">{formatMicroUsd(usage.cost)}</td>
              <td class="number">{formatCount(usage.runs)}</td>
              <td class="number">{formatCount(usage.failed)}</td>
              <td class="number">{formatCount(usage.inputTokens)}</td>
              <td class="number">{formatCount(usage.outputTokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The color of a row in the chart above the table. */
function Swatch({ series }: { series: number }) {
  return (
    <svg class="swatch" width="10" height="10" aria-hidden="true">
      <rect class={`series-${series}`} width="10" height="10" rx="2" />
      {series % 2 === 1 && <rect fill="url(#chart-hatching)" width="10" height="10" rx="2" />}
    </svg>
  );
}
