import type { VisitorLimitsAdvice } from "@/lib/admin/home_advice.ts";
import { SUGGESTED_VISITOR_LIMITS } from "@/lib/wire/limits.ts";
import { formatMicroUsd, plural } from "./format_amount.ts";

const { sessionStreams, sessionCost, ipDailyCost } = SUGGESTED_VISITOR_LIMITS;

/** Why one visitor should have limits, and the button that sets them, or whom to ask. */
export function VisitorLimitsOffer({ advice }: { advice: VisitorLimitsAdvice }) {
  const { canSet, canDismiss } = advice;
  return (
    <div class="stack-small">
      <p>
        <strong>One visitor can use up the whole day.</strong>{" "}
        Nothing limits a single session or address: one token can hold all{" "}
        {plural(advice.streams, "stream")}, which keeps your own backend out, and one address can
        spend all {formatMicroUsd(advice.dailyCost)} of the day. The suggested limits are{" "}
        {plural(sessionStreams, "stream")} and {formatMicroUsd(sessionCost)} for each session, and
        {" "}
        {formatMicroUsd(ipDailyCost)} a day for each address.
      </p>
      {!canSet && <WhomToAsk operators={advice.operators} />}
      {(canSet || canDismiss) && (
        <div class="form-actions">
          {canSet && (
            <form method="post" action={`/operator/tenants/${advice.tenant}/visitor-limits`}>
              <button class="button" type="submit">Set these limits</button>
            </form>
          )}
          {canSet && (
            <a class="button" href={`/operator/tenants/${advice.tenant}`} aria-current="false">
              Choose your own
            </a>
          )}
          {canDismiss && <DismissForm advice="visitor_limits" label="Dismiss" />}
        </div>
      )}
    </div>
  );
}

function WhomToAsk({ operators }: { operators: readonly string[] }) {
  if (operators.length === 0) {
    return <p>Ask whoever operates this installation to set them in your plan.</p>;
  }
  return <p>Ask {operators.join(" or ")} to set them: only an operator can change the plan.</p>;
}

/** Hides one piece of advice for good. */
export function DismissForm({ advice, label }: { advice: string; label: string }) {
  return (
    <form method="post" action="/home/dismiss">
      <input type="hidden" name="advice" value={advice} />
      <button class="button" type="submit">{label}</button>
    </form>
  );
}
