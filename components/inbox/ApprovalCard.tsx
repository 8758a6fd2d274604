import { useState } from "preact/hooks";
import type { AskedCall } from "@/lib/dashboard/browser/follow_run.ts";
import { callDashboard } from "@/lib/dashboard/call_dashboard.ts";
import { formatJson } from "@/lib/dashboard/format_json.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** A tool call that waits for a person: what the agent is about to do, with its arguments. */
export function ApprovalCard(
  { runId, call: { n, name, args }, canDecide }: {
    runId: string;
    call: AskedCall;
    canDecide: boolean;
  },
) {
  const [busy, setBusy] = useState(false);
  const [issue, setIssue] = useState<string>();
  async function decide(approve: boolean) {
    setBusy(true);
    setIssue(undefined);
    try {
      await callDashboard(`/conversations/runs/${runId}/calls/${n}`, { approve });
    } catch (error) {
      setIssue((error as Error).message);
      setBusy(false);
    }
  }
  return (
    <section class="approval card" aria-label={t("Approval")}>
      <p>{t("The agent wants to use {tool}.", { tool: name })}</p>
      <pre class="json" role="region" aria-label={t("Arguments of {name}", { name })} tabIndex={0}>
        {formatJson(args)}
      </pre>
      {canDecide
        ? (
          <div class="form-actions">
            <button
              type="button"
              class="button button-primary"
              disabled={busy}
              onClick={() => decide(true)}
            >
              {t("Approve")}
            </button>
            <button type="button" class="button" disabled={busy} onClick={() => decide(false)}>
              {t("Decline")}
            </button>
          </div>
        )
        : <p class="help">{t("An editor of your team can approve it.")}</p>}
      {issue !== undefined && <p class="field-error" role="alert">{issue}</p>}
    </section>
  );
}
