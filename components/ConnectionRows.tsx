import type { ComponentChildren } from "preact";
import type { ConnectionView } from "@/lib/dashboard/models/connection_views.ts";
import { Time } from "./Time.tsx";

const STATES: Record<ConnectionView["state"], [badge: string, word: string]> = {
  empty: ["badge", "not set up"],
  ready: ["badge badge-active", "ready"],
  failing: ["badge badge-failing", "failing"],
};

/** Vendor slots with their health; operators also see where each is, and an action. */
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
              {slot.source === "environment" && <span class="tag">set by the environment</span>}
            </p>
            <p class="row-text">
              <code>{slot.vendor}</code>
              {operator && slot.baseUrl && ` · ${slot.protocol} at ${slot.baseUrl}`}
            </p>
          </div>
          <dl class="facts">
            <div>
              <dt>Last answer</dt>
              <dd>{slot.lastAnswerAt ? <Time at={slot.lastAnswerAt} now={now} /> : "none yet"}</dd>
            </div>
            <div>
              <dt>Last failure</dt>
              <dd>
                {slot.lastFailure
                  ? (
                    <>
                      <Time at={slot.lastFailure.at} now={now} />, {slot.lastFailure.status ??
                        slot.lastFailure.code}
                    </>
                  )
                  : "none"}
              </dd>
            </div>
          </dl>
          {action && <div class="row-end">{action(slot)}</div>}
        </li>
      ))}
    </ul>
  );
}
