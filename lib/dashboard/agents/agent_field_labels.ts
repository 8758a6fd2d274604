/** What people call the fields of an agent, in the editor's order. */
export const FIELD_LABELS = {
  name: "Name",
  systemPrompt: "System prompt",
  model: "Model",
  fallback: "Fallback",
  temperature: "Temperature",
  maxOutputTokens: "Longest answer",
  maxCostUsd: "Cost, in USD",
  maxSteps: "Steps",
  wallClockSeconds: "Time, in seconds",
  knowledgeBaseId: "Knowledge base",
  tools: "Tools",
  allowedDomains: "Allowed domains",
  allowedOrigins: "Allowed origins",
} as const;
