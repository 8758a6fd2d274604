import ToolEditor from "@/islands/ToolEditor.tsx";
import { FIELD_BOUNDS as B } from "@/lib/schemas/limits.ts";
import { Field } from "../Field.tsx";
import { LinesField } from "../ValueFields.tsx";
import type { AgentFieldsProps } from "./AgentFields.tsx";

/** The APIs that the agent may call, and the hosts that they may reach. */
export function ToolFields({ values, issues, toolReport, readOnly, agentId }: AgentFieldsProps) {
  return (
    <section class="card stack">
      <div>
        <h2>Tools</h2>
        <p class="help">
          APIs and Model Context Protocol (MCP) servers that the agent may call. At most {B.tools}.
        </p>
      </div>
      <Field
        name="tools"
        label="Tool definitions"
        issue={issues.tools}
        help={
          <>
            As JSON: an array of definitions of type <code>http</code> or <code>mcp</code>.
          </>
        }
      >
        {(attributes) => (
          <ToolEditor
            {...{ attributes, readOnly, agentId }}
            value={values.tools}
            report={toolReport ?? { problems: [] }}
          />
        )}
      </Field>
      <LinesField
        {...{ values, issues, name: "allowedDomains", label: "Allowed domains" }}
        placeholder="api.example.com"
        help={
          <>
            Hosts that tools may call, one per line, without <code>https://</code>. Use{" "}
            <code>*.example.com</code> for subdomains.
          </>
        }
      />
    </section>
  );
}
