import type { AttentionStore } from "../storage/attention_store.ts";
import type { RunEnd, RunFacts } from "../usage/run_record.ts";

/**
 * Tells the tenant of a vendor that has failed: one on which a run has ended, or one that was asked
 * first while another answered, which no visitor sees and which may cost more than was meant.
 */
export function noteVendorFailure(
  attention: Pick<AttentionStore, "note">,
  facts: Pick<RunFacts, "tenant" | "provider" | "model">,
  end: Pick<RunEnd, "provider" | "model" | "errorCode">,
): void {
  const note = ({ provider, model }: { provider: string; model: string }, detail: string) =>
    attention.note(facts.tenant, "vendor_failed", { name: `${provider}/${model}`, detail });
  const wasPassedOver = facts.provider !== end.provider || facts.model !== end.model;
  if (wasPassedOver) note(facts, "fallback");
  if (end.errorCode?.startsWith("provider_")) note(end, end.errorCode);
}
