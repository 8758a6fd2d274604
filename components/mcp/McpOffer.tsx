import type { McpServerReport } from "@/lib/agent/tools/mcp/describe_mcp_server.ts";
import { PostForm } from "../PostForm.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

type Offer = Extract<McpServerReport, { offer: unknown }>["offer"];
type Item = Offer["tools"][number];

/** The tools, resources and prompts of a server, which is asked only on request. */
export function McpOffer(
  { report, action }: { report: McpServerReport | undefined; action: string },
) {
  return (
    <section class="card stack" id="offer">
      <h2>{t("What this server offers")}</h2>
      {report === undefined
        ? <p class="help">{t("Asks the server for its tools, resources and prompts.")}</p>
        : "error" in report
        ? <p class="field-error">{`${report.error.code}: ${report.error.message}`}</p>
        : (
          <>
            <Items title={t("Tools")} items={report.offer.tools} />
            <Items title={t("Resources")} items={report.offer.resources} />
            <Items title={t("Prompts")} items={report.offer.prompts} />
          </>
        )}
      <PostForm action={`${action}#offer`}>
        <input type="hidden" name="action" value="describe" />
        <button class="button" type="submit">{t("Ask the server")}</button>
      </PostForm>
    </section>
  );
}

function Items({ title, items }: { title: string; items: readonly Item[] | undefined }) {
  if (items === undefined) return null;
  return (
    <>
      <h3>{title}</h3>
      {items.length === 0 ? <p class="help">{t("Nothing.")}</p> : (
        <ul>
          {items.map(({ name, uri, description }) => (
            <li key={uri ?? name}>
              <code>{uri ?? name}</code> {description}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
