import type { ToolTestHop, ToolTestReport } from "@/lib/schemas/playground.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The result of a test call: the output as the model sees it, and every request made. */
export function ToolTestResult({ result }: { result: ToolTestReport }) {
  return (
    <div class="stack tool-result">
      {"output" in result && (
        <figure class="code code-wrapped">
          <figcaption>{t("Output to the model, after {ms} ms", { ms: result.ms })}</figcaption>
          <pre tabIndex={0} aria-label={t("Tool output")}>
            <code>{JSON.stringify(result.output, null, 2)}</code>
          </pre>
        </figure>
      )}
      {!("output" in result) && <Offered offered={result.offered} />}
      {result.notes.map((note) => <p key={note} class="help">{note}</p>)}
      {result.ledger.length === 0
        ? <p class="help">{t("No request was sent.")}</p>
        : <Ledger ledger={result.ledger} />}
    </div>
  );
}

function Offered({ offered }: Pick<ToolTestReport, "offered">) {
  if (offered.length === 0) return <p class="help">{t("The server has no tools.")}</p>;
  return (
    <dl class="offered">
      {offered.map(({ name, description }) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd class="help">{description}</dd>
        </div>
      ))}
    </dl>
  );
}

function Ledger({ ledger }: Pick<ToolTestReport, "ledger">) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("Requests")}>
      <table>
        <caption>{t("Requests")}</caption>
        <thead>
          <tr>
            {[t("Request"), t("Address"), t("Status"), t("Bytes"), t("Duration")].map((title) => (
              <th key={title} scope="col">{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>{ledger.map((hop, n) => <HopRow key={n} hop={hop} />)}</tbody>
      </table>
    </div>
  );
}

function HopRow({ hop }: { hop: ToolTestHop }) {
  return (
    <>
      <tr>
        <td>
          {hop.hop > 0 && "↪ "}
          {hop.method} {hop.host}
        </td>
        <td>{hop.address ?? "–"}</td>
        <td>{hop.status ?? "–"}</td>
        <td>{hop.bytes}</td>
        <td>{t("{ms} ms", { ms: Math.round(hop.ms) })}</td>
      </tr>
      {hop.refused !== undefined && (
        <tr>
          <td colSpan={5} class="field-error">{hop.refused}</td>
        </tr>
      )}
    </>
  );
}
