import type { RunRecord } from "@/lib/store/runs/run_record.ts";
import { formatCount, formatMs, plural } from "../lib/dashboard/format_amount.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Outgoing requests of a run's tools, including blocked ones. */
export function EgressCalls({ calls }: { calls: NonNullable<RunRecord["egress"]> }) {
  if (calls.length === 0) return null;
  return (
    <details class="more">
      <summary>
        {plural(calls.length, "{count} outgoing request", "{count} outgoing requests")}
      </summary>
      <div class="table-box" role="region" aria-label={t("Outgoing requests")} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("Host")}</th>
              <th scope="col">{t("Method")}</th>
              <th scope="col">{t("Status")}</th>
              <th scope="col" class="number">{t("Bytes")}</th>
              <th scope="col" class="number">{t("Duration")}</th>
            </tr>
          </thead>
          <tbody>
            {calls.map(({ host, address, method, status, refused, bytes, ms, hop }, n) => (
              <tr key={n}>
                <th scope="row">
                  {hop > 0 && "↳ "}
                  {host}
                  {address && <span class="help">{address}</span>}
                </th>
                <td>{method}</td>
                <td>
                  {refused === undefined ? status ?? "none" : <span class="bad">{refused}</span>}
                </td>
                <td class="number">{formatCount(bytes)}</td>
                <td class="number">{formatMs(ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
