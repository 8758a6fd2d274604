import type { HomeAlert } from "@/lib/services/home_alerts.ts";
import { formatCount, formatMicroUsd, plural } from "../lib/dashboard/format_amount.ts";
import { defaultProviderLabel } from "../lib/dashboard/models/model_groups.ts";
import { ATTENTION_TEXTS } from "../lib/dashboard/mcp/mcp_problem_texts.ts";
import { Icon } from "./Icon.tsx";
import { formatUsed, QUOTA_LABELS } from "./StorageMeters.tsx";
import { Time } from "./Time.tsx";
import { VisitorLimitsOffer } from "./VisitorLimitsOffer.tsx";
import { ROLLBACK_TEXTS } from "@/lib/dashboard/agents/publish_form.ts";
import { ROLLBACK_REASONS } from "@/lib/schemas/publication.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

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
      <h2 id="attention">{t("Needs attention")}</h2>
      {items.length === 0
        ? <p class="prose all-well">{t("All systems normal. Nothing needs your attention.")}</p>
        : <AlertRows items={items.slice(0, MAX_SHOWN)} {...rest} />}
      {more.length > 0 && (
        <details class="more">
          <summary>{t("Show {more} more", { more: formatCount(more.length) })}</summary>
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
    case "canary_rolled_back":
      return <RolledBack alert={alert} now={now} />;
    case "key_expires":
      return (
        <>
          <strong>{t("API key {name} expires", { name: alert.name })}</strong>{" "}
          <Time at={alert.expiresAt} now={now} />. <a href="/api-keys">{t("View API keys")}</a>
        </>
      );
    case "key_unused":
      return (
        <>
          <strong>{t("API key {name} is unused.", { name: alert.name })}</strong>{" "}
          {alert.lastUsedAt === undefined
            ? t("It was never used. Revoke it if nothing needs it.")
            : rich("Last used: {time}. Revoke it if nothing needs it.", {
              time: <Time at={alert.lastUsedAt} now={now} />,
            })} <a href={`/api-keys/${alert.id}/revoke`}>{t("Revoke key")}</a>
        </>
      );
    case "proxy_untrusted":
      return <ProxyUntrusted alert={alert} />;
    case "backup_overdue":
      return <BackupOverdue alert={alert} now={now} />;
    case "mcp_server":
      return (
        <>
          <strong>{t("{host} is disconnected.", { host: new URL(alert.url).host })}</strong>{" "}
          {t(ATTENTION_TEXTS[alert.problem])}{" "}
          <a href="/settings#mcp-servers">{t("View connections")}</a>
        </>
      );
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
        {rich(
          "{strong} {cost} of {limit} is spent. New messages are rejected until midnight UTC.",
          {
            strong: <strong>{t("Daily limit reached.")}</strong>,
            cost: formatMicroUsd(cost),
            limit: formatMicroUsd(limit),
          },
        )}
      </>
    )
    : (
      <>
        {rich("{strong} {cost} is spent, above the soft limit of {limit}.", {
          strong: <strong>{t("Daily soft limit passed.")}</strong>,
          cost: formatMicroUsd(cost),
          limit: formatMicroUsd(limit),
        })}
      </>
    );
}

function ProviderFailing(
  { alert, now, operator }: { alert: AlertOf<"vendor_failed">; now: number; operator: boolean },
) {
  const { item: { count, detail, lastAt }, provider, model, recent } = alert;
  const name = alert.providerName ?? defaultProviderLabel(provider);
  return (
    <>
      <strong>{t("{name} is failing for {model}.", { name, model })}</strong> {recent === undefined
        ? plural(count, "{count} run failed.", "{count} runs failed.")
        : t("{failed} of {count} requests failed in the last 5 minutes.", {
          failed: formatCount(recent.failures),
          count: formatCount(recent.attempts),
        })} {detail === "fallback"
        ? t("The fallback model answered instead.")
        : rich("Error: {code}.", { code: <code>{detail}</code> })}{" "}
      {rich("Last failure: {time}.", { time: <Moment at={lastAt} now={now} /> })} {operator
        ? <a href="/operator/providers">{t("View model providers")}</a>
        : t("Ask an operator to look at it.")}
    </>
  );
}

function OriginRejected({ alert, now }: { alert: AlertOf<"origin_refused">; now: number }) {
  const { item: { name, count, lastAt }, agent } = alert;
  return (
    <>
      <strong>
        {agent === undefined
          ? t("{name} may not embed an agent.", { name })
          : t("{name} may not embed {agent}.", { name, agent: agent.name })}
      </strong>{" "}
      {plural(count, "It was rejected once.", "It was rejected {count} times.")}{" "}
      {rich("Last attempt: {time}.", { time: <Moment at={lastAt} now={now} /> })}
      {agent && (
        <>
          {" "}
          {rich("If this is your site, add it to the agent's {link}.", {
            link: <a href={`/agents/${agent.id}/embed`}>{t("allowed sites")}</a>,
          })}
        </>
      )}
    </>
  );
}

function RolledBack({ alert, now }: { alert: AlertOf<"canary_rolled_back">; now: number }) {
  const { item: { detail, lastAt }, agent } = alert;
  const reason = ROLLBACK_REASONS.find((one) => one === detail);
  return (
    <>
      <strong>{t("A canary of {agent} was rolled back.", { agent: agent.name })}</strong>{" "}
      {reason !== undefined && t(ROLLBACK_TEXTS[reason])}{" "}
      {rich("When: {time}.", { time: <Moment at={lastAt} now={now} /> })}{" "}
      <a href={`/agents/${agent.id}/publish`}>{t("View the comparison")}</a>
    </>
  );
}

function ProxyUntrusted({ alert: { hops } }: { alert: AlertOf<"proxy_untrusted"> }) {
  return (
    <>
      {rich(
        "{strong} A proxy sends {code}, but {code2} is 0, so all visitors share one set of per-address limits. Set {code3} if you run {count} in front of the service, then restart it. With a larger number, clients could forge their address.",
        {
          strong: <strong>{t("All visitors count as one address.")}</strong>,
          code: <code>X-Forwarded-For</code>,
          code2: <code>TRUSTED_PROXY_HOPS</code>,
          code3: <code>TRUSTED_PROXY_HOPS={hops}</code>,
          count: plural(hops, "one proxy", "{count} proxies"),
        },
      )}
    </>
  );
}

function BackupOverdue(
  { alert: { lastAt }, now }: { alert: AlertOf<"backup_overdue">; now: number },
) {
  return (
    <>
      <strong>{t("A backup is overdue.")}</strong> {lastAt === undefined
        ? t("There is none yet.")
        : rich("The latest one: {time}.", { time: <Moment at={lastAt} now={now} /> })}{" "}
      {t("The service's log says why.")}
    </>
  );
}

function QuotaUsed({ alert: { name, figure } }: { alert: AlertOf<"quota"> }) {
  return (
    <>
      {rich(
        "{strong} {figure} used. Delete what you no longer need, or ask an operator to raise the quota. {link}",
        {
          strong: (
            <strong>
              {figure.used >= figure.limit
                ? t("Quota used up: {name}.", { name: t(QUOTA_LABELS[name].label) })
                : t("Quota almost used up: {name}.", { name: t(QUOTA_LABELS[name].label) })}
            </strong>
          ),
          figure: formatUsed(name, figure),
          link: <a href="/settings#storage">{t("View quotas")}</a>,
        },
      )}
    </>
  );
}

function ConversationsFull({ alert: { isStored } }: { alert: AlertOf<"conversations_full"> }) {
  return (
    <>
      {rich(
        "{strong} The plan's storage for conversations is full. Chats still work. Ask an operator to raise the quota. {link}",
        {
          strong: (
            <strong>
              {isStored
                ? t("The oldest conversations are being deleted early.")
                : t("Some conversations were not saved.")}
            </strong>
          ),
          link: <a href="/settings#storage">{t("View quotas")}</a>,
        },
      )}
    </>
  );
}

function Moment({ at, now }: { at: number; now: number }) {
  return <Time at={new Date(at).toISOString()} now={now} />;
}
