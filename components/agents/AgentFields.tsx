import type { AgentFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import type { AgentFormIssues } from "@/lib/dashboard/agents/agent_form_issues.ts";
import type { AgentSectionName } from "@/lib/dashboard/agents/agent_sections.ts";
import type { ToolReport } from "@/lib/dashboard/agents/tool_problem.ts";
import type { EditorChoices } from "@/lib/dashboard/agents/editor_choices.ts";
import { InstructionsFields } from "./InstructionsFields.tsx";
import { KnowledgeFields } from "./KnowledgeFields.tsx";
import { ModelFields } from "./ModelFields.tsx";
import { ToolFields } from "./ToolFields.tsx";

export interface AgentFieldsProps {
  values: AgentFormValues;
  issues: AgentFormIssues;
  choices: EditorChoices;
  toolReport?: ToolReport | undefined;
  /** For viewers, who cannot change anything. */
  readOnly: boolean;
  /** Undefined for a new agent. */
  agentId?: string | undefined;
  /** The page that shows a template's prompt; undefined if templates are not offered. */
  templatePath?: string | undefined;
}

const FIELDS = {
  instructions: InstructionsFields,
  model: ModelFields,
  knowledge: KnowledgeFields,
  tools: ToolFields,
} as const satisfies Record<AgentSectionName, unknown>;

/** The fields of one page of the editor. */
export function AgentFields(
  { section, ...props }: AgentFieldsProps & { section: AgentSectionName },
) {
  const Fields = FIELDS[section];
  return <Fields {...props} />;
}
