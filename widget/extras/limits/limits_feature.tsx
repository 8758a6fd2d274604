/** What the visitor has left, below the field, if the site shows it. */
import { MESSAGES_LEFT } from "../answer/answer_ids.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { FOOTNOTE, type Slot } from "../slot.ts";
import { formatTime, relativeTime } from "../relative_time.ts";
import { AVAILABLE_AGAIN, BUDGET_USED } from "./limits_ids.ts";

interface Allowance {
  readonly limit: number;
  readonly left: number;
}

/** The answer of `GET /v1/chat/limits`; empty without limits. */
interface VisitorLimits {
  readonly costUsd?: Allowance;
  readonly messages?: Allowance;
  readonly per?: "day" | "month" | "total";
  /** Absent for a total. */
  readonly resetsAt?: string;
}

export function limitsFeature({ ui, t, callService, changed }: ExtrasContext): Slot {
  let limits: VisitorLimits = {};
  /** Number of the next message when the service was asked: it is asked again after each answer. */
  let askedAt = 0;
  const ask = async () => {
    limits = await (await callService("limits")).json();
    changed(false);
  };
  return (place) => {
    const { conversation: { state: { busy, nextId } }, locale: { lang } } = ui;
    if (place !== FOOTNOTE || ui.read("data-limits") !== "on") return;
    if (!busy && askedAt !== nextId) {
      askedAt = nextId;
      // Without a connection, what was known before stays.
      ask().catch(() => {});
    }
    const text = describe(limits, { t, lang });
    return text && <p class="footnote" part="limits">{text}</p>;
  };
}

/** "Messages left: 82 · this month". Money is a share: a price says nothing to a visitor. */
function describe(
  { messages, costUsd, per, resetsAt }: VisitorLimits,
  { t, lang }: { readonly t: (id: number) => string; readonly lang: string },
): string {
  const messagesLeft = leftOf(messages);
  const costLeft = leftOf(costUsd);
  return [
    messages && `${t(MESSAGES_LEFT)}: ${messagesLeft}`,
    // Rounded down: 100 % is all of it. Without a budget nothing is left.
    costUsd &&
    `${t(BUDGET_USED)}: ${costLeft ? Math.floor(100 - 100 * costLeft / costUsd.limit) : 100} %`,
    resetsAt &&
    (messagesLeft && costLeft
      ? formatTime(0, { lang, unit: per as "day" })
      : `${t(AVAILABLE_AGAIN)}: ${relativeTime(resetsAt, lang)}`),
  ].filter((part) => part).join(" · ");
}

/** In quotes: the bundler shortens the name for the widget's own objects. */
function leftOf(allowance: Allowance | undefined): number {
  return Math.max(0, allowance?.["left"] ?? 1);
}
