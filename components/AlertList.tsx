import type { HomeAlert } from "@/lib/services/home_alerts.ts";
import { formatCount, formatMicroUsd, plural } from "../lib/dashboard/format_amount.ts";
import { defaultProviderLabel } from "../lib/dashboard/models/model_groups.ts";
import { Icon } from "./Icon.tsx";
import { formatUsed, QUOTA_LABELS } from "./StorageMeters.tsx";
import { Time } from "./Time.tsx";
import { VisitorLimitsOffer } from "./VisitorLimitsOffer.tsx";

export interface AlertListProps {
  items: readonly HomeAlert[];
  now: number;
  /** The reader may change the service. */
  operator: boolean;
}

/** More at once would hide the one that matters. */
const MAX_SHOWN = 5;

/** Problems that need action, the most pressing first, or a line that there are none. */
export function AlertList({ items, ...rest }: AlertListProps) {
  const more = items.slice(MAX_SHOWN);
  return (
    <section class="stack-small" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {items.length === 0
        ? <p class="prose all-well">All systems normal. Nothing needs your attention.</p>
        : <AlertRows items={items.slice(0, MAX_SHOWN)} {...rest} />}
      {more.length > 0 && (
        <details class="more">
          <summary>{`And ${formatCount(more.length)} more`}</summary>
          <AlertRows items={more} {...rest} />
        </details>
      )}
    </section>
  );
}

function AlertRows({ items, ...rest }: AlertListProps) {
  return (
    <ul class="rows">
      {items.map((item, n) => (
        <li key={n} class={`attention attention-${severity(item)}`}>
          <Icon name="warning" />
          {item.kind === "visitor_limits" ? <VisitorLimitsOffer advice={item.advice} /> : (
            <p>
              <Description alert={item} {...rest} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function severity({ kind }: HomeAlert): "error" | "warning" {
  return kind === "hard_limit" || kind === "vendor_failed" ? "error" : "warning";
}

type AlertOf<Kind extends HomeAlert["kind"]> = Extract<HomeAlert, { kind: Kind }>;

function Description({ alert, now, operator }: {
  alert: Exclude<HomeAlert, { kind: "visitor_limits" }>;
  now: number;
  operator: boolean;
}) {
  switch (alert.kind) {
    case "hard_limit":
    case "soft_limit":
      return <DailyLimit alert={alert} />;
    case "vendor_failed":
      return <ProviderFailing alert={alert} now={now} operator={operator} />;
    case "origin_refused":
      return <OriginRejected alert={alert} now={now} />;
    case "key_expires":
      return (
        <>
          <strong>API key {alert.name} expires</strong> <Time at={alert.expiresAt} now={now} />.
          {" "}
          <a href="/api-keys">View API keys</a>
        </>
      );
    case "proxy_untrusted":
      return <ProxyUntrusted alert={alert} />;
    case "quota":
      return <QuotaUsed alert={alert} />;
    case "conversations_full":
      return <ConversationsFull alert={alert} />;
    default:
      return alert satisfies never;
  }
}

function DailyLimit({ alert }: { alert: Extract<HomeAlert, { cost: number }> }) {
  const { kind, cost, limit } = alert;
  return kind === "hard_limit"
    ? (
      <>
        <strong>Daily limit reached.</strong> {formatMicroUsd(cost)} of {formatMicroUsd(limit)}{" "}
        is spent. New messages are rejected until midnight UTC.
      </>
    )
    : (
      <>
        <strong>Daily soft limit passed.</strong> {formatMicroUsd(cost)}{" "}
        is spent, above the soft limit of {formatMicroUsd(limit)}.
      </>
    );
}

function ProviderFailing(
  { alert, now, operator }: { alert: AlertOf<"vendor_failed">; now: number; operator: boolean },
) {
  const { item: { count, detail, lastAt }, provider, model, recent } = alert;
  const name = alert.providerName ?? defaultProviderLabel(provider);
  const failed = recent === undefined
    ? plural(count, "{count} run", "{count} runs")
    : `${recent.failures} of ${plural(recent.attempts, "{count} request", "{count} requests")}`;
  return (
    <>
      <strong>{`${name} is failing for ${model}.`}</strong>{" "}
      {recent === undefined ? `${failed} failed` : `${failed} failed in the last 5 minutes`}
      {detail === "fallback" ? "; the fallback model answered instead" : (
        <>
          {" "}(<code>{detail}</code>)
        </>
      )}
      , last <Moment at={lastAt} now={now} />. {operator
        ? <a href="/operator/providers">View model providers</a>
        : "Ask an operator to look at it."}
    </>
  );
}

function OriginRejected({ alert, now }: { alert: AlertOf<"origin_refused">; now: number }) {
  const { item: { name, count, lastAt }, agent } = alert;
  return (
    <>
      <strong>{name} may not embed {agent?.name ?? "an agent"}.</strong> It was rejected{" "}
      {count === 1 ? "once" : plural(count, "{count} time", "{count} times")}, last{" "}
      <Moment at={lastAt} now={now} />.
      {agent && (
        <>
          {" "}If this is your site, add it to the agent's{" "}
          <a href={`/agents/${agent.id}#allowedOrigins`}>allowed origins</a>.
        </>
      )}
    </>
  );
}

function ProxyUntrusted({ alert: { hops } }: { alert: AlertOf<"proxy_untrusted"> }) {
  return (
    <>
      <strong>All visitors count as one address.</strong> A proxy sends{" "}
      <code>X-Forwarded-For</code>, but <code>TRUSTED_PROXY_HOPS</code>{" "}
      is 0, so all visitors share one set of per-address limits. Set{" "}
      <code>TRUSTED_PROXY_HOPS={hops}</code> if you run{" "}
      {hops === 1 ? "one proxy" : plural(hops, "{count} proxy", "{count} proxies")}{" "}
      in front of the service, then restart it. With a larger number, clients could forge their
      address.
    </>
  );
}

function QuotaUsed({ alert: { name, figure } }: { alert: AlertOf<"quota"> }) {
  return (
    <>
      <strong>
        {figure.used >= figure.limit ? "Storage full" : "Storage almost full"}:{" "}
        {QUOTA_LABELS[name].label}.
      </strong>{" "}
      {formatUsed(name, figure)}{" "}
      used. Delete what you no longer need, or ask an operator to raise the quota.{" "}
      <a href="/settings#storage">View storage</a>
    </>
  );
}

function ConversationsFull({ alert: { isStored } }: { alert: AlertOf<"conversations_full"> }) {
  return (
    <>
      <strong>
        {isStored
          ? "The oldest conversations are being deleted early."
          : "Some conversations were not saved."}
      </strong>{" "}
      The plan's storage for conversations is full. Chats still work. Ask an operator to raise the
      quota. <a href="/settings#storage">View storage</a>
    </>
  );
}

function Moment({ at, now }: { at: number; now: number }) {
  return <Time at={new Date(at).toISOString()} now={now} />;
}
