import { formatMicroUsd } from "../lib/dashboard/format_amount.ts";
import { Time } from "./Time.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

export interface LimitMeterProps {
  /** Micro-USD, like the limits. */
  cost: number;
  softLimit: number;
  hardLimit: number;
  resetsAt: string;
  now: number;
}

/** Today's cost against its limits. */
export function LimitMeter({ cost, softLimit, hardLimit, resetsAt, now }: LimitMeterProps) {
  const percent = (part: number) => hardLimit === 0 ? 100 : Math.min(100, part / hardLimit * 100);
  const state = cost >= hardLimit ? "over" : cost >= softLimit ? "warned" : "fine";
  const usedText = t("{cost} of {hardLimit}", {
    cost: formatMicroUsd(cost),
    hardLimit: formatMicroUsd(hardLimit),
  });
  return (
    <div class="limit">
      <p class="limit-cost">
        {rich("{cost} of {hardLimit} today", {
          cost: <strong>{formatMicroUsd(cost)}</strong>,
          hardLimit: formatMicroUsd(hardLimit),
        })}
      </p>
      <div
        class={`limit-meter limit-${state}`}
        role="meter"
        aria-label={t("Cost today")}
        aria-valuemin={0}
        aria-valuemax={hardLimit / 1_000_000}
        aria-valuenow={Math.min(cost, hardLimit) / 1_000_000}
        aria-valuetext={usedText}
      >
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect class="limit-all" width="100" height="8" />
          <rect class="limit-used" width={percent(cost)} height="8" />
          <rect class="limit-soft" x={Math.min(99.6, percent(softLimit))} width="0.4" height="8" />
        </svg>
      </div>
      <p class="help">
        {rich("Warns at {softLimit}, rejects messages at {hardLimit}. Resets {time}.", {
          softLimit: formatMicroUsd(softLimit),
          hardLimit: formatMicroUsd(hardLimit),
          time: <Time at={resetsAt} now={now} />,
        })}
      </p>
    </div>
  );
}
