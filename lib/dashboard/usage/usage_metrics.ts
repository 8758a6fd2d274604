import type { Usage } from "../../store/runs/usage_rows.ts";
import {
  formatCompact,
  formatCount,
  formatMicroUsd,
  microUsdAxisFormat,
} from "../format_amount.ts";
import { msg, t } from "../texts/translate.ts";

export const USAGE_METRICS = ["cost", "runs", "tokens"] as const;
export type UsageMetric = typeof USAGE_METRICS[number];

export interface MetricFormat {
  label: string;
  value(usage: Usage): number;
  format(value: number): string;
  /** For a sum that stands alone, with all its digits. */
  exact(value: number): string;
  /** Formats axis values with enough digits for the step between two lines. */
  axis?: (step: number) => (value: number) => string;
}

/** What a chart of usage can show. */
export const METRICS: Record<UsageMetric, MetricFormat> = {
  cost: {
    label: msg("Cost"),
    value: ({ cost }) => cost,
    format: formatMicroUsd,
    exact: formatMicroUsd,
    axis: microUsdAxisFormat,
  },
  runs: {
    label: msg("Runs"),
    value: ({ runs }) => runs,
    format: formatCompact,
    exact: formatCount,
  },
  tokens: {
    label: msg("Tokens"),
    value: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
    format: formatCompact,
    exact: formatCount,
  },
};

/** `12% more than in the 7 days before`. */
export function describeChange(now: number, before: number, days: number): string {
  const period = days === 1 ? t("the previous day") : t("the previous {days} days", { days });
  if (now === before) return t("Same as in {period}", { period });
  if (before === 0) return t("None in {period}", { period });
  const percent = Math.round(Math.abs(now - before) / before * 100);
  if (percent === 0) return t("About the same as in {period}", { period });
  return now > before
    ? t("{percent}% more than in {period}", { percent, period })
    : t("{percent}% less than in {period}", { percent, period });
}
