import type { AgentFormField } from "./agent_form.ts";
import { msg, t } from "../texts/translate.ts";

interface AgentSection {
  label: string;
  /** Below `/agents/:id`; blank for the first page. */
  path: string;
  fields: readonly AgentFormField[];
}

/** The pages of the editor. Each has its own address and saves only its own fields. */
export const AGENT_SECTIONS = {
  instructions: {
    label: msg("Instructions"),
    path: "",
    fields: [
      "name",
      "systemPrompt",
      "variables",
      "followUps",
      "memory",
      "memoryInstructions",
      "temperature",
    ],
  },
  model: {
    label: msg("Model"),
    path: "/model",
    fields: [
      "model",
      "fallback",
      "attachments",
      "reasoningEffort",
      "topP",
      "stopSequences",
      "responseSchema",
      "maxOutputTokens",
      "maxCostUsd",
      "maxSteps",
      "wallClockSeconds",
      "retentionDays",
    ],
  },
  knowledge: { label: msg("Knowledge"), path: "/knowledge", fields: ["knowledgeBaseId", "rerank"] },
  tools: { label: msg("Tools"), path: "/tools", fields: ["tools", "allowedDomains"] },
} as const satisfies Record<string, AgentSection>;

export type AgentSectionName = keyof typeof AGENT_SECTIONS;

export function sectionFields(name: AgentSectionName): readonly AgentFormField[] {
  return AGENT_SECTIONS[name].fields;
}

export function sectionPath(agentId: string, name: AgentSectionName): string {
  return `/agents/${agentId}${AGENT_SECTIONS[name].path}`;
}

/** Label of the page that has a field; sites are on the Embed page. */
export function pageOfField(field: AgentFormField): string {
  if (field === "appearance") return t("Appearance");
  if (field === "handoff") return t("Hand-off");
  if (field === "guardrails") return t("Guardrails");
  const sections: AgentSection[] = Object.values(AGENT_SECTIONS);
  return sections.find(({ fields }) => fields.includes(field))?.label ?? t("Embed");
}
