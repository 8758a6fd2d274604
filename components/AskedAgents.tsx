import type { RunRecord } from "@/lib/store/runs/run_record.ts";
import { FINISH_LABELS } from "@/lib/dashboard/finish_labels.ts";
import { formatCount, formatUsd, plural } from "@/lib/dashboard/format_amount.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The agents that a run has asked. */
export function AskedAgents({ asked }: { asked: NonNullable<RunRecord["asked"]> }) {
  if (asked.length === 0) return null;
  return (
    <details class="more">
      <summary>{plural(asked.length, "{count} agent asked", "{count} agents asked")}</summary>
      <div class="table-box" role="region" aria-label={t("Asked agents")} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("Agent")}</th>
              <th scope="col">{t("Outcome")}</th>
              <th scope="col">{t("Tools")}</th>
              <th scope="col" class="number">{t("Steps")}</th>
              <th scope="col" class="number">{t("Cost")}</th>
            </tr>
          </thead>
          <tbody>
            {asked.map(({ agentId, finishReason, tools, steps, cost }, n) => (
              <tr key={n}>
                <th scope="row">
                  <a href={`/agents/${agentId}`} aria-current="false">{agentId.slice(0, 8)}</a>
                </th>
                <td>{t(FINISH_LABELS[finishReason])}</td>
                <td>{tools.join(", ")}</td>
                <td class="number">{formatCount(steps)}</td>
                <td class="number">{formatUsd(cost / 1_000_000)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
