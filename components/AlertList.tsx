import type { ComponentChildren } from "preact";
import type { HomeAlert } from "@/lib/services/home_alerts.ts";
import { formatMicroUsd, plural } from "../lib/dashboard/format_amount.ts";
import { Icon } from "./Icon.tsx";
import { formatUsed, QUOTA_LABELS } from "./StorageMeters.tsx";
import { Time } from "./Time.tsx";
import { VisitorLimitsOffer } from "./VisitorLimitsOffer.tsx";

/** Problems that need action, or a line that there are none. */
export function AlertList({ items, now }: { items: readonly HomeAlert[]; now: number }) {
  return (
    <section class="stack-small" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {items.length === 0
        ? <p class="prose all-well">All systems normal. Nothing needs your attention.</p>
        : (
          <ul class="rows">
            {items.map((item, n) => (
              <li key={n} class={`attention attention-${severity(item)}`}>
                <Icon name="warning" />
                {item.kind === "visitor_limits"
                  ? <VisitorLimitsOffer advice={item.advice} />
                  : <p>{describeAlert(item, now)}</p>}
              </li>
            ))}
          </ul>
        )}
    </section>
  );
}

function severity({ kind }: HomeAlert): "fault" | "warning" {
  return kind === "hard_limit" || kind === "vendor_failed" ? "fault" : "warning";
}

function describeAlert(
  item: Exclude<HomeAlert, { kind: "visitor_limits" }>,
  now: number,
): ComponentChildren {
  switch (item.kind) {
    case "hard_limit":
      return (
        <>
          <strong>The day's limit is reached.</strong> {formatMicroUsd(item.cost)} of{" "}
          {formatMicroUsd(item.limit)} are spent; messages are refused until midnight UTC.
        </>
      );
    case "soft_limit":
      return (
        <>
          <strong>The day's soft limit is passed.</strong> {formatMicroUsd(item.cost)} are spent,
          {" "}
          {formatMicroUsd(item.limit)} is where the warning begins.
        </>
      );
    case "vendor_failed":
      return (
        <>
          <strong>{item.item.name} is failing.</strong> {plural(item.item.count, "run")}{" "}
          {item.item.detail === "fallback" ? "went to a fallback or ended" : "ended"}{" "}
          on an error of the vendor, the last <When at={item.item.lastAt} now={now} />
          {item.item.detail === "fallback" ? "." : (
            <>
              {" "}(<code>{item.item.detail}</code>).
            </>
          )}
        </>
      );
    case "origin_refused":
      return (
        <>
          <strong>{item.item.name} may not embed {agentName(item.agent)}.</strong> It was refused
          {" "}
          {item.item.count === 1 ? "once" : plural(item.item.count, "time")}, the last{" "}
          <When at={item.item.lastAt} now={now} />.
          {item.agent && (
            <>
              {" "}If it is yours, add it to the{" "}
              <a href={`/agents/${item.agent.id}`}>agent</a>'s origins.
            </>
          )}
        </>
      );
    case "key_expires":
      return (
        <>
          <strong>The key {item.name} expires</strong> <Time at={item.expiresAt} now={now} />.{" "}
          <a href="/api-keys">API keys</a>
        </>
      );
    case "proxy_untrusted":
      return (
        <>
          <strong>All visitors count as one address.</strong> A proxy sends{" "}
          <code>X-Forwarded-For</code>, but <code>TRUSTED_PROXY_HOPS</code>{" "}
          is 0, so all visitors share one set of per-address limits. Set{" "}
          <code>TRUSTED_PROXY_HOPS={item.hops}</code> if you run{" "}
          {item.hops === 1 ? "one proxy" : plural(item.hops, "proxy", "proxies")}{" "}
          in front of the service, then restart it. With a larger number, clients could forge their
          address.
        </>
      );
    case "quota":
      return (
        <>
          <strong>
            {item.figure.used >= item.figure.limit ? "Storage full" : "Storage almost full"}:{" "}
            {QUOTA_LABELS[item.name].label}.
          </strong>{" "}
          {formatUsed(item.name, item.figure)}{" "}
          used. Delete what you no longer need, or ask an operator to raise the quota.{" "}
          <a href="/settings#storage">Storage</a>
        </>
      );
    case "conversations_full":
      return (
        <>
          <strong>
            {item.isStored
              ? "The oldest conversations are being deleted early."
              : "Some conversations were not saved."}
          </strong>{" "}
          The plan's storage for conversations is full; chats keep working. Ask an operator to raise
          the quota. <a href="/settings#storage">Storage</a>
        </>
      );
    default:
      return item satisfies never;
  }
}

function When({ at, now }: { at: number; now: number }) {
  return <Time at={new Date(at).toISOString()} now={now} />;
}

function agentName(agent: { name: string } | undefined): string {
  return agent === undefined ? "an agent" : agent.name;
}
