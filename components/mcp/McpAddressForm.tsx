import { Field } from "../Field.tsx";
import { PageHeader } from "../PageHeader.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Asks for the address of a server to connect; the tools of agents link to it directly. */
export function McpAddressForm({ typed }: { typed: string }) {
  return (
    <>
      <PageHeader
        title={t("Connect MCP server")}
        back={{ href: "/settings#mcp-servers", label: t("Settings") }}
      />
      <form method="get" action="/settings/mcp" class="card narrow stack">
        <Field
          name="url"
          label={t("URL")}
          issue={typed === "" ? undefined : t("Enter an address that starts with https://.")}
          help={t("Exactly as in the tool of the agent.")}
        >
          {(attributes) => (
            <input
              type="text"
              inputMode="url"
              class="mono"
              {...attributes}
              value={typed}
              required
            />
          )}
        </Field>
        <div class="form-actions">
          <button class="button button-primary" type="submit">{t("Continue")}</button>
        </div>
      </form>
    </>
  );
}
