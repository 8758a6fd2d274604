import type { ModelName } from "../billing/model_access.ts";
import type { AlertStore } from "../store/tenants/alert_store.ts";
import type { SettledRun } from "./chat_service.ts";

/**
 * Tells the tenant of a vendor that has failed: one on which a run has ended, or one that was asked
 * first while another answered, which no visitor sees and which may cost more than was meant.
 */
export function alertProviderFailure(
  attention: Pick<AlertStore, "note">,
  { tenant, end, firstAttempted = end }: SettledRun,
): void {
  const note = ({ provider, model }: ModelName, detail: string) =>
    attention.note(tenant, "vendor_failed", { name: `${provider}/${model}`, detail });
  const wasPassedOver = firstAttempted.provider !== end.provider ||
    firstAttempted.model !== end.model;
  if (wasPassedOver) note(firstAttempted, "fallback");
  if (end.errorCode?.startsWith("provider_")) note(end, end.errorCode);
}
