import type { ComponentChildren } from "preact";
import type { ConnectionView } from "@/lib/dashboard/models/connection_views.ts";
import { PROTOCOL_NAMES } from "@/lib/schemas/connection_config.ts";
import { Time } from "./Time.tsx";

const STATES: Record<ConnectionView["state"], [badge: string, word: string]> = {
  empty: ["badge", "Not connected"],
  ready: ["badge badge-active", "Connected"],
  failing: ["badge badge-failing", "Failing"],
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
              <span class={STATES[slot.state][0]}>{STATES[slot.state][1]}</span>
              {slot.source === "environment" && <span class="tag">Set by environment</span>}
            </p>
            <p class="row-text">
              {operator && slot.protocol &&
                `${PROTOCOL_NAMES[slot.protocol]} API at ${slot.baseUrl}`}
            </p>
          </div>
          <dl class="facts">
            <div>
              <dt>Errors, last 5 min</dt>
              <dd>
                {slot.recent && slot.recent.attempts > 0
                  ? `${slot.recent.failures} of ${slot.recent.attempts}`
                  : "No requests"}
              </dd>
            </div>
            <div>
              <dt>Last success</dt>
              <dd>{slot.lastAnswerAt ? <Time at={slot.lastAnswerAt} now={now} /> : "None yet"}</dd>
            </div>
            <div>
              <dt>Last error</dt>
              <dd>
                {slot.lastFailure
                  ? (
                    <>
                      <Time at={slot.lastFailure.at} now={now} />, {slot.lastFailure.status ??
                        slot.lastFailure.code}
                    </>
                  )
                  : "None"}
              </dd>
            </div>
          </dl>
          {action && <div class="row-end">{action(slot)}</div>}
        </li>
      ))}
    </ul>
  );
}
