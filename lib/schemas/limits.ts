/** Without zod, for use in browsers. Source: specification sections 2, 4 and 8. */
export const FIELD_BOUNDS = {
  agentName: 128,
  systemPrompt: 10_000,
  maxOutputTokens: 16_384,
  maxCostUsd: 100,
  maxSteps: 32,
  minWallClockMs: 1_000,
  maxWallClockMs: 120_000,
  retentionDays: 365,
  tools: 16,
  allowedDomains: 32,
  domainLength: 253,
  allowedOrigins: 32,
  messages: 64,
  messageLength: 32_000,
  commentLength: 2_000,
  feedbackReasonLength: 64,
  maxFeedbackReasons: 8,
  sessionTokenMin: 16,
  sessionTokenMax: 256,
  requestIdMin: 8,
  requestIdMax: 128,
  bodyBytes: 1_048_576,
} as const;

/** How long the audit log stores changes, in days; security events for at most `securityDays`. */
export const AUDIT_RETENTION = {
  defaultDays: 400,
  minDays: 30,
  maxDays: 3_650,
  securityDays: 90,
} as const;

/** Characters of a dashboard user's password. */
export const MIN_PASSWORD_LENGTH = 10;

/** Characters of what visitors read while a tool runs. */
export const TOOL_PROGRESS_LENGTH = 80;

/** Calls that wait for a visitor, a person or a page, and what they are answered with. */
export const CALL_BOUNDS = {
  titleLength: 64,
  /** Of a page's output as JSON. */
  outputBytes: 262_144,
  errorLength: 1_000,
  /** Answers in one message of another format. */
  answers: 16,
} as const;

/** The follow-up questions that a model suggests below its answer. */
export const FOLLOW_UP_BOUNDS = { questions: 3, questionLength: 120 } as const;

/** The guardrails of an agent, in characters; each list has its own maximum. */
export const GUARDRAIL_BOUNDS = {
  words: 500,
  wordLength: 100,
  policy: 2_000,
  message: 500,
} as const;

/** A visitor at mint, and the variables that an agent declares for visitors. */
export const VISITOR_BOUNDS = {
  idLength: 128,
  variables: 32,
  /** All values of one session, as JSON. */
  valueBytes: 4_096,
  descriptionLength: 256,
  defaultLength: 1_024,
  maxCostUsd: 1_000_000,
  maxMessages: 1_000_000_000,
  /** `{{visitor.name}}` in one prompt: bounds what it can grow to. */
  promptPlaceholders: 64,
} as const;

/** Characters of a conversation's title. */
export const CONVERSATION_TITLE_LENGTH = 80;

/** Life of a widget session, in milliseconds. */
export const SESSION_TTL_MS = 15 * 60_000;
/** Messages that one widget session may send. */
export const SESSION_MESSAGE_CAP = 50;

/** A plan has none of them by default. Money in micro-USD. Source: CONTRACT section 8. */
export const SUGGESTED_VISITOR_LIMITS = {
  sessionStreams: 2,
  sessionCost: 250_000,
  ipDailyCost: 1_000_000,
} as const;

/** Maximum limits of a plan. */
export const MAX_PLAN_LIMITS = {
  /** Requests or messages per minute. */
  perMinute: 60_000,
  streams: 10_000,
  sessionStreams: 800,
} as const;

/** Storage quotas of a tenant by default. */
export const DEFAULT_QUOTAS = {
  agents: 1_000,
  /** Stored versions per agent; the oldest are deleted first. */
  agentVersions: 100,
  /** Agents as JSON, including all stored versions. */
  agentBytes: 64 * 1_048_576,
  knowledgeBases: 100,
  /** Uploaded documents and the text extracted from them. */
  knowledgeBytes: 1_024 * 1_048_576,
  /** Stored messages, each with its answer. */
  conversationRuns: 1_000_000,
  conversationBytes: 1_024 * 1_048_576,
  /** Files attached to messages, and the text extracted from them. */
  attachmentBytes: 1_024 * 1_048_576,
  /** Members of the team and open invitations. */
  users: 1_000,
  /** Those that are neither revoked nor expired. */
  apiKeys: 1_000,
  /** Secrets of tools. */
  toolSecrets: 1_000,
  testSets: 50,
} as const;
export type QuotaName = keyof typeof DEFAULT_QUOTAS;

/** Maximum quotas of a plan; some pages list all items of a quota. */
export const MAX_QUOTAS: Readonly<Record<QuotaName, number>> = {
  agents: 100_000,
  agentVersions: 100,
  agentBytes: 1_024 ** 4,
  knowledgeBases: 1_000,
  knowledgeBytes: 1_024 ** 4,
  conversationRuns: 1_000_000_000,
  conversationBytes: 1_024 ** 4,
  attachmentBytes: 1_024 ** 4,
  users: 10_000,
  apiKeys: 10_000,
  toolSecrets: 10_000,
  testSets: 500,
};

export const KNOWLEDGE_BOUNDS = {
  documentsPerBase: 1_000,
  chunksPerBase: 10_000,
  /** Total size of the uploaded documents of a base. */
  sourceBytesPerBase: 512 * 1_048_576,
  documentBytes: 20 * 1_048_576,
  nameLength: 128,
  descriptionLength: 1_024,
  titleLength: 256,
  queryLength: 1_000,
  maxPassages: 20,
  defaultPassages: 5,
} as const;

/** Websites whose pages are documents of a knowledge base. */
export const WEB_SOURCE_BOUNDS = {
  sourcesPerBase: 20,
  pages: 1_000,
  defaultPages: 100,
  /** Links from the start to a page. */
  depth: 10,
  urlLength: 2_048,
} as const;

/** Tools of type `agent`. */
export const AGENT_TOOL_BOUNDS = {
  /** Agents below the one that a visitor talks to. */
  depth: 2,
  messageLength: 8_000,
  answerLength: 32_000,
  /** Asked agents that are recorded with a run. */
  recorded: 32,
} as const;

/** An agent's appearance. */
export const APPEARANCE_BOUNDS = {
  title: 64,
  greeting: 300,
  suggestions: 4,
  suggestionLength: 80,
  privacyText: 200,
  urlLength: 2_048,
  /** Characters of an avatar's `data:` address, about 9 KB of image. */
  avatarLength: 12_000,
  /** The same for a logo, about 12 KB of image. */
  logoLength: 16_000,
} as const;

/** Files that are attached to messages. */
export const ATTACHMENT_BOUNDS = {
  fileBytes: 10 * 1_048_576,
  perMessage: 8,
  nameLength: 128,
  /** An upload that no message uses is deleted after this long. */
  unusedMs: 60 * 60_000,
  /** What one session may upload. */
  sessionFiles: 20,
  sessionBytes: 50 * 1_048_576,
  /** Text of one document that is shown to a model, UTF-8. */
  textBytes: 128 * 1024,
} as const;

/** Test sets of a tenant. */
export const TEST_BOUNDS = {
  casesPerSet: 1_000,
  /** All cases of a set, as JSON. */
  setBytes: 8 * 1_048_576,
  /** One case, as JSON. */
  caseBytes: 32 * 1_024,
  casesPerRequest: 400,
  /** The oldest are deleted first. */
  runsPerSet: 50,
  nameLength: 128,
  questionLength: 8_000,
  history: 16,
  expectations: 12,
  textLength: 2_000,
  rubricLength: 4_000,
  toolResults: 16,
  tags: 8,
  tagLength: 32,
  maxScore: 10,
  budgetUsd: 100,
} as const;
