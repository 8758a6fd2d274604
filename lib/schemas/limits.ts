/**
 * Bounds and default limits of the interface, in one zod-free place so that the widget, the
 * islands and the server agree. Source: specification sections 2, 4 and 8.
 */
export const FIELD_BOUNDS = {
  agentName: 128,
  systemPrompt: 10_000,
  maxOutputTokens: 16_384,
  maxCostUsd: 100,
  maxSteps: 32,
  minWallClockMs: 1_000,
  maxWallClockMs: 120_000,
  tools: 16,
  allowedDomains: 32,
  domainLength: 253,
  allowedOrigins: 32,
  messages: 64,
  messageLength: 32_000,
  sessionTokenMin: 16,
  sessionTokenMax: 256,
  requestIdMin: 8,
  requestIdMax: 128,
  bodyBytes: 1_048_576,
} as const;

/** Life of a widget session, in milliseconds. */
export const SESSION_TTL_MS = 15 * 60_000;
/** Messages that one widget session may send. */
export const SESSION_MESSAGE_CAP = 50;

/**
 * Limits for one visitor that the dashboard offers; a plan has none of them unless somebody sets them.
 * Money in micro-USD. Source: CONTRACT section 8.
 */
export const SUGGESTED_VISITOR_LIMITS = {
  sessionStreams: 2,
  sessionCost: 250_000,
  ipDailyCost: 1_000_000,
} as const;

/** What a tenant may store unless its plan says otherwise. */
export const DEFAULT_QUOTAS = {
  agents: 1_000,
  /** Versions kept of each agent; the oldest go first. */
  agentVersions: 100,
  /** Agents as JSON, every kept version counted. */
  agentBytes: 64 * 1_048_576,
  knowledgeBases: 100,
  /** Documents as they were sent, and the text read from them. */
  knowledgeBytes: 1_024 * 1_048_576,
  /** Messages kept in conversations, each with its answer. */
  conversationRuns: 1_000_000,
  conversationBytes: 1_024 * 1_048_576,
} as const;
export type QuotaName = keyof typeof DEFAULT_QUOTAS;

/** The most that a plan may set; `loadEditorChoices` and the page of knowledge bases list all of them. */
export const MAX_QUOTAS: Readonly<Record<QuotaName, number>> = {
  agents: 100_000,
  agentVersions: 100,
  agentBytes: 1_024 ** 4,
  knowledgeBases: 1_000,
  knowledgeBytes: 1_024 ** 4,
  conversationRuns: 1_000_000_000,
  conversationBytes: 1_024 ** 4,
};

/** Bounds of knowledge bases. */
export const KNOWLEDGE_BOUNDS = {
  documentsPerBase: 1_000,
  chunksPerBase: 10_000,
  /** What the documents of one base may be together, as they were sent. */
  sourceBytesPerBase: 512 * 1_048_576,
  documentBytes: 20 * 1_048_576,
  nameLength: 128,
  descriptionLength: 1_024,
  titleLength: 256,
  queryLength: 1_000,
  maxPassages: 20,
  defaultPassages: 5,
} as const;
