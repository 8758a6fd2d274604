import type { AgentFormField } from "./agent_form.ts";
import { msg } from "../texts/translate.ts";

/** In the editor's order. Typed so that a field without a label does not compile. */
export const FIELD_LABELS = {
  name: "Name",
  systemPrompt: "System prompt",
  variables: msg("Visitor variables"),
  model: msg("Model"),
  fallback: msg("Fallback"),
  followUps: msg("Follow-up questions"),
  memory: msg("Memory"),
  memoryInstructions: msg("What to remember"),
  temperature: msg("Temperature"),
  reasoningEffort: msg("Reasoning effort"),
  topP: msg("Top P"),
  stopSequences: msg("Stop sequences"),
  responseSchema: msg("Response schema"),
  maxOutputTokens: msg("Max output tokens"),
  maxCostUsd: msg("Cost, in USD"),
  maxSteps: msg("Steps"),
  wallClockSeconds: msg("Time, in seconds"),
  retentionDays: msg("Days that conversations are stored"),
  knowledgeBaseId: msg("Knowledge base"),
  rerank: msg("Order by a model"),
  attachments: msg("Attachments"),
  tools: msg("Tools"),
  allowedDomains: msg("Allowed domains"),
  allowedOrigins: msg("Allowed sites"),
  nativeApps: msg("Native apps"),
  appearance: msg("Appearance"),
  handoff: msg("Hand-off"),
  guardrails: msg("Guardrails"),
} as const satisfies Record<Exclude<AgentFormField, "version">, string>;
