import type { ComponentChildren } from "preact";
import type { ConnectionView } from "@/lib/dashboard/models/connection_views.ts";
import { PROTOCOL_NAMES } from "@/lib/schemas/connection_config.ts";
import { Time } from "./Time.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const STATES: Record<ConnectionView["state"], [badge: string, word: string]> = {
  empty: ["badge", msg("Not connected")],
  ready: ["badge badge-active", msg("Connected")],
  failing: ["badge badge-failing", msg("Failing")],
};

/** Provider connections with their health. Operators also see the address and an action. */
export function ConnectionRows(
  { slots, now, operator, action }: {
    slots: readonly ConnectionView[];
    now: number;
    operator: boolean;
    action?: (slot: ConnectionView) => ComponentChildren;
  },
) {
  return (
    <ul class="rows">
      {slots.map((slot) => (
        <li key={slot.vendor} class="row">
          <div class="row-main">
            <p class="row-name">
              {slot.label}
              <span class={STATES[slot.state][0]}>{t(STATES[slot.state][1])}</span>
              {slot.source === "environment" && <span class="tag">{t("Set by environment")}</span>}
            </p>
            <p class="row-text">
              {operator && slot.protocol &&
                t("{protocol} API at {baseUrl}", {
                  protocol: PROTOCOL_NAMES[slot.protocol],
                  baseUrl: slot.baseUrl ?? "",
                })}
            </p>
          </div>
          <dl class="facts">
            <div>
              <dt>{t("Errors, last 5 min")}</dt>
              <dd>
                {slot.recent && slot.recent.attempts > 0
                  ? t("{failures} of {attempts}", {
                    failures: slot.recent.failures,
                    attempts: slot.recent.attempts,
                  })
                  : t("No requests")}
              </dd>
            </div>
            {operator && slot.keys && (
              <div>
                <dt>{t("API keys in use")}</dt>
                <dd>{t("{usable} of {total}", slot.keys)}</dd>
              </div>
            )}
            <div>
              <dt>{t("Last success")}</dt>
              <dd>
                {slot.lastAnswerAt ? <Time at={slot.lastAnswerAt} now={now} /> : t("None yet")}
              </dd>
            </div>
            <div>
              <dt>{t("Last error")}</dt>
              <dd>
                {slot.lastFailure
                  ? (
                    <>
                      <Time at={slot.lastFailure.at} now={now} />, {slot.lastFailure.status ??
                        slot.lastFailure.code}
                    </>
                  )
                  : t("None")}
              </dd>
            </div>
          </dl>
          {action && <div class="row-end">{action(slot)}</div>}
        </li>
      ))}
    </ul>
  );
}
