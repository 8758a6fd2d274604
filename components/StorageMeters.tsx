import type { StorageFigure, StorageFigures, StoredQuota } from "@/lib/billing/storage_report.ts";
import { type PlanField, QUOTA_FIELDS } from "../lib/dashboard/plans/describe_plan.ts";
import { formatBytes, formatCount } from "../lib/dashboard/format_amount.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Storage quotas by name. */
export const QUOTA_LABELS = Object.fromEntries(
  QUOTA_FIELDS.filter(({ name }) => name !== "agentVersions").map((field) => [field.name, field]),
) as Record<StoredQuota, PlanField>;

/** Share of a quota from which it counts as almost full. */
const WARNING_SHARE = 0.9;

/** `412 of 1,000`, or the same in bytes. */
export function formatUsed(name: StoredQuota, { used, limit }: StorageFigure): string {
  return t("{used} of {limit}", {
    used: formatAmount(name, used),
    limit: formatAmount(name, limit),
  });
}

/** Use of each quota, as text. */
export function formatStorageUse(figures: StorageFigures): Record<string, string> {
  const names = Object.keys(QUOTA_LABELS) as StoredQuota[];
  return Object.fromEntries(names.map((name) => [
    name,
    t("{used} used", { used: formatAmount(name, figures[name].used) }),
  ]));
}

function formatAmount(name: StoredQuota, amount: number): string {
  return QUOTA_LABELS[name].unit === "mib" ? formatBytes(amount) : formatCount(amount);
}

/** A tenant's storage against its quotas. */
export function StorageMeters({ figures }: { figures: StorageFigures }) {
  const names = Object.keys(QUOTA_LABELS) as StoredQuota[];
  return (
    <div class="card storage">
      {names.map((name) => <Meter key={name} name={name} figure={figures[name]} />)}
    </div>
  );
}

function Meter({ name, figure }: { name: StoredQuota; figure: StorageFigure }) {
  const { used, limit } = figure;
  const label = t(QUOTA_LABELS[name].label);
  const percent = limit === 0 ? 100 : Math.min(100, used / limit * 100);
  const state = used >= limit ? "over" : used >= limit * WARNING_SHARE ? "warned" : "fine";
  const usedText = formatUsed(name, figure);
  return (
    <div class="limit">
      <p class="storage-line">
        <span>{label}</span>
        <span>
          {usedText}{" "}
          {state !== "fine" && (
            <strong>{state === "over" ? t("(full)") : t("(almost full)")}</strong>
          )}
        </span>
      </p>
      <div
        class={`limit-meter limit-${state}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={usedText}
      >
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect class="limit-all" width="100" height="8" />
          <rect class="limit-used" width={percent} height="8" />
        </svg>
      </div>
    </div>
  );
}
