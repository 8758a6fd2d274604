import ToolEditor from "@/islands/ToolEditor.tsx";
import { FIELD_BOUNDS as B } from "@/lib/schemas/limits.ts";
import { Field } from "../Field.tsx";
import { LinesField } from "../ValueFields.tsx";
import type { AgentFieldsProps } from "./AgentFields.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** The APIs that the agent may call, and the hosts that they may reach. */
export function ToolFields(
  { values, issues, choices, toolReport, readOnly, agentId }: AgentFieldsProps,
) {
  return (
    <section class="card stack">
      <div>
        <h2>{t("Tools")}</h2>
        <p class="help">
          {t(
            "APIs, Model Context Protocol (MCP) servers and other agents that the agent may call. At most {tools}.",
            { tools: B.tools },
          )}
        </p>
      </div>
      <Field
        name="tools"
        label={t("Tool definitions")}
        issue={issues.tools}
        help={
          <>
            {rich("As JSON: an array of definitions of type {code}, {code2} or {code3}.", {
              code: <code>http</code>,
              code2: <code>mcp</code>,
              code3: <code>agent</code>,
            })}
          </>
        }
      >
        {(attributes) => (
          <ToolEditor
            {...{ attributes, readOnly, agentId }}
            value={values.tools}
            agents={choices.agents ?? []}
            report={toolReport ?? { problems: [] }}
          />
        )}
      </Field>
      <LinesField
        {...{ values, issues, name: "allowedDomains", label: t("Allowed domains") }}
        placeholder="api.example.com"
        help={
          <>
            {rich(
              "Hosts that tools may call, one per line, without {code}. Use {code2} for subdomains.",
              { code: <code>https://</code>, code2: <code>*.example.com</code> },
            )}
          </>
        }
      />
    </section>
  );
}
