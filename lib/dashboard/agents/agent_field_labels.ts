import type { AgentFormField } from "./agent_form.ts";

/** In the editor's order. Typed so that a field without a label does not compile. */
export const FIELD_LABELS = {
  name: "Name",
  systemPrompt: "System prompt",
  model: "Model",
  fallback: "Fallback",
  temperature: "Temperature",
  maxOutputTokens: "Max output tokens",
  maxCostUsd: "Cost, in USD",
  maxSteps: "Steps",
  wallClockSeconds: "Time, in seconds",
  knowledgeBaseId: "Knowledge base",
  tools: "Tools",
  allowedDomains: "Allowed domains",
  allowedOrigins: "Allowed origins",
  appearance: "Appearance",
} as const satisfies Record<Exclude<AgentFormField, "version">, string>;
