import type { VisitorLimitsAdvice } from "@/lib/services/home_advice.ts";
import { SUGGESTED_VISITOR_LIMITS } from "@/lib/schemas/limits.ts";
import { formatMicroUsd, plural } from "../lib/dashboard/format_amount.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

const { sessionStreams, sessionCost, ipDailyCost } = SUGGESTED_VISITOR_LIMITS;

/** Explains per-visitor limits, with a button that sets them or the operators to ask. */
export function VisitorLimitsOffer({ advice }: { advice: VisitorLimitsAdvice }) {
  const { canSet, canDismiss } = advice;
  return (
    <div class="stack-small">
      <p>
        {rich(
          "{strong} There is no limit for a single session or address. One token can open all {count}, which locks out your own backend, and one address can spend the whole daily budget of {dailyCost}. The suggested limits are {count2} and {sessionCost} for each session, and {ipDailyCost} a day for each address.",
          {
            strong: <strong>{t("One visitor can use up your daily budget.")}</strong>,
            count: plural(advice.streams, "{count} stream", "{count} streams"),
            dailyCost: formatMicroUsd(advice.dailyCost),
            count2: plural(sessionStreams, "{count} stream", "{count} streams"),
            sessionCost: formatMicroUsd(sessionCost),
            ipDailyCost: formatMicroUsd(ipDailyCost),
          },
        )}
      </p>
      {!canSet && <OperatorContact operators={advice.operators} />}
      {(canSet || canDismiss) && (
        <div class="form-actions">
          {canSet && (
            <form method="post" action={`/operator/tenants/${advice.tenant}/visitor-limits`}>
              <button class="button" type="submit">{t("Set these limits")}</button>
            </form>
          )}
          {canSet && (
            <a class="button" href={`/operator/tenants/${advice.tenant}`} aria-current="false">
              {t("Customize limits")}
            </a>
          )}
          {canDismiss && <DismissForm advice="visitor_limits" label={t("Dismiss")} />}
        </div>
      )}
    </div>
  );
}

function OperatorContact({ operators }: { operators: readonly string[] }) {
  if (operators.length === 0) {
    return <p>{t("Ask the operator of this installation to set them in your plan.")}</p>;
  }
  return (
    <p>
      {t("Ask an operator to set them: {names}. Only an operator can change the plan.", {
        names: operators.join(", "),
      })}
    </p>
  );
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
