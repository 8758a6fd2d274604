import type { StorageFigure, StorageFigures, StoredQuota } from "@/lib/billing/storage_report.ts";
import { formatBytes, formatCount } from "../lib/dashboard/format_amount.ts";

/** What the quotas are called, and whether they are bytes. */
export const QUOTA_LABELS: Readonly<Record<StoredQuota, { label: string; isBytes?: true }>> = {
  agents: { label: "Agents" },
  agentBytes: { label: "Size of agents and versions", isBytes: true },
  knowledgeBases: { label: "Knowledge bases" },
  knowledgeBytes: { label: "Size of knowledge", isBytes: true },
  conversationRuns: { label: "Messages in conversations" },
  conversationBytes: { label: "Size of conversations", isBytes: true },
};

/** The share of a quota from which on it is shown as almost full. */
const WARNING_SHARE = 0.9;

/** `412 of 1,000`, or the same in bytes. */
export function formatUsed(name: StoredQuota, { used, limit }: StorageFigure): string {
  const format = QUOTA_LABELS[name].isBytes ? formatBytes : formatCount;
  return `${format(used)} of ${format(limit)}`;
}

/** How much of each quota is used, as text. */
export function formatStorageUse(figures: StorageFigures): Record<string, string> {
  const names = Object.keys(QUOTA_LABELS) as StoredQuota[];
  return Object.fromEntries(names.map((name) => [
    name,
    `${
      QUOTA_LABELS[name].isBytes ? formatBytes(figures[name].used) : formatCount(figures[name].used)
    } used`,
  ]));
}

/** What a tenant stores, each on the way to its quota. */
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
  const { label } = QUOTA_LABELS[name];
  const percent = limit === 0 ? 100 : Math.min(100, used / limit * 100);
  const state = used >= limit ? "over" : used >= limit * WARNING_SHARE ? "warned" : "fine";
  const told = formatUsed(name, figure);
  return (
    <div class="limit">
      <p class="storage-line">
        <span>{label}</span>
        <span>
          {told}
          {state !== "fine" && <strong>{state === "over" ? " (full)" : " (almost full)"}</strong>}
        </span>
      </p>
      <div
        class={`limit-meter limit-${state}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={told}
      >
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect class="limit-all" width="100" height="8" />
          <rect class="limit-used" width={percent} height="8" />
        </svg>
      </div>
    </div>
  );
}
