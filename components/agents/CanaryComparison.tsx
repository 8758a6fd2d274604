import { formatCount, formatMs, formatPercent, formatUsd } from "@/lib/dashboard/format_amount.ts";
import type { Canary, CanaryAnswers } from "@/lib/schemas/publication.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Compares a canary with the published version. */
export function CanaryComparison(
  { canary: { version, answers }, published }: {
    canary: Pick<Canary, "version" | "answers">;
    /** The published version, if known. */
    published?: number | undefined;
  },
) {
  const rows: [string, (of: CanaryAnswers) => string][] = [
    [t("Conversations"), ({ conversations }) => formatCount(conversations)],
    [t("Answers"), ({ answers }) => formatCount(answers)],
    [t("Errors"), ({ errors, answers }) => withShare(errors, answers)],
    [t("Rated up"), ({ up }) => formatCount(up)],
    [t("Rated down"), ({ up, down }) => withShare(down, up + down)],
    [t("Cost per answer"), ({ costUsd, answers }) => answers ? formatUsd(costUsd / answers) : "–"],
    [
      t("Time per answer"),
      ({ durationMs, answers }) => answers ? formatMs(durationMs / answers) : "–",
    ],
  ];
  return (
    <div class="data-table-box">
      <table class="data-table canary-table">
        <caption class="sr-only">{t("Canary compared with the published version")}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="sr-only">{t("Figure")}</span>
            </th>
            <th scope="col" class="number">{t("Version {version}", { version })}</th>
            <th scope="col" class="number">
              {published === undefined
                ? t("Published")
                : t("Version {version}", { version: published })}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, show]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number" data-heading={t("Version {version}", { version })}>
                {show(answers.canary)}
              </td>
              <td class="number" data-heading={t("Published")}>{show(answers.published)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function withShare(count: number, of: number): string {
  return of === 0
    ? formatCount(count)
    : `${formatCount(count)} (${formatPercent(100 * count / of)})`;
}
