import type { VisitorLimitsAdvice } from "@/lib/services/home_advice.ts";
import { SUGGESTED_VISITOR_LIMITS } from "@/lib/schemas/limits.ts";
import { formatMicroUsd, plural } from "../lib/dashboard/format_amount.ts";

const { sessionStreams, sessionCost, ipDailyCost } = SUGGESTED_VISITOR_LIMITS;

/** Explains per-visitor limits, with a button that sets them or the operators to ask. */
export function VisitorLimitsOffer({ advice }: { advice: VisitorLimitsAdvice }) {
  const { canSet, canDismiss } = advice;
  return (
    <div class="stack-small">
      <p>
        <strong>One visitor can use up your daily budget.</strong>{" "}
        There is no limit for a single session or address. One token can open all{" "}
        {plural(advice.streams, "{count} stream", "{count} streams")}, which locks out your own
        backend, and one address can spend the whole daily budget of{" "}
        {formatMicroUsd(advice.dailyCost)}. The suggested limits are{" "}
        {plural(sessionStreams, "{count} stream", "{count} streams")} and{" "}
        {formatMicroUsd(sessionCost)} for each session, and {formatMicroUsd(ipDailyCost)}{" "}
        a day for each address.
      </p>
      {!canSet && <OperatorContact operators={advice.operators} />}
      {(canSet || canDismiss) && (
        <div class="form-actions">
          {canSet && (
            <form method="post" action={`/operator/tenants/${advice.tenant}/visitor-limits`}>
              <button class="button" type="submit">Set these limits</button>
            </form>
          )}
          {canSet && (
            <a class="button" href={`/operator/tenants/${advice.tenant}`} aria-current="false">
              Customize limits
            </a>
          )}
          {canDismiss && <DismissForm advice="visitor_limits" label="Dismiss" />}
        </div>
      )}
    </div>
  );
}

function OperatorContact({ operators }: { operators: readonly string[] }) {
  if (operators.length === 0) {
    return <p>Ask the operator of this installation to set them in your plan.</p>;
  }
  return <p>Ask {operators.join(" or ")} to set them. Only an operator can change the plan.</p>;
}

/** Dismisses an advice permanently. */
export function DismissForm({ advice, label }: { advice: string; label: string }) {
  return (
    <form method="post" action="/home/dismiss">
      <input type="hidden" name="advice" value={advice} />
      <button class="button" type="submit">{label}</button>
    </form>
  );
}
