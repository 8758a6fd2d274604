import type { ModelName } from "../billing/model_access.ts";
import type { AlertStore } from "../store/tenants/alert_store.ts";
import type { SettledRun } from "./execute_run.ts";

/**
 * Alerts the tenant to a failing provider: one that a run ended on, or one whose fallback answered
 * instead, which visitors do not notice and which may cost more.
 */
export function alertProviderFailure(
  alerts: Pick<AlertStore, "note">,
  { facts: { tenant }, end, firstAttempted = end }: SettledRun,
): void {
  const alert = ({ provider, model }: ModelName, detail: string) =>
    alerts.note(tenant, "vendor_failed", { name: `${provider}/${model}`, detail });
  const usedFallback = firstAttempted.provider !== end.provider ||
    firstAttempted.model !== end.model;
  if (usedFallback) alert(firstAttempted, "fallback");
  if (end.errorCode?.startsWith("provider_")) alert(end, end.errorCode);
}
