import { REHEARSAL_EXAMPLES } from "./rehearsal_examples.ts";
import { TEST_SET_EXAMPLES } from "./test_set_examples.ts";
import { UNANSWERED_EXAMPLES } from "./unanswered_examples.ts";
import { WEB_SOURCE_EXAMPLES } from "./web_source_examples.ts";
import { SEAL_EXAMPLES } from "./seal_examples.ts";
import { createFinding, embedSnippets } from "../doctor/diagnostic_context.ts";
import type { Attachment } from "../schemas/attachment.ts";
import type { Agent } from "../schemas/agent.ts";
import {
  DOCTOR_CHECKS,
  type DoctorCheck,
  type DoctorReason,
  type DoctorReport,
} from "../schemas/doctor.ts";

const agentBody = {
  name: "Shop helper",
  systemPrompt: "You help customers of a bookshop on the plan {{visitor.plan}}. Be brief.",
  variables: [{ name: "plan", type: "string" as const, default: "free" }],
  modelPolicy: { provider: "vendor_a" as const, model: "demo", maxOutputTokens: 512 },
  budget: { maxCostUsd: 0.05, maxSteps: 4, wallClockMs: 30_000 },
  tools: [{
    type: "http" as const,
    name: "find_order",
    description: "Finds an order by its number.",
    parameters: {
      type: "object",
      properties: { number: { type: "string" } },
      required: ["number"],
    },
    request: { method: "GET" as const, url: "https://api.shop.example/orders/{{number}}" },
  }],
  allowedDomains: ["api.shop.example"],
  allowedOrigins: ["https://shop.example"],
};

const agent: Agent = {
  id: "6f1b2c9e-0d53-4a7e-9b61-2f0c4d8e7a15",
  ...agentBody,
  createdAt: "2026-01-15T09:30:00.000Z",
  updatedAt: "2026-01-15T09:30:00.000Z",
  version: 1,
};

const mintBody = {
  agentId: agent.id,
  visitor: { id: "customer-1042", variables: { plan: "pro" } },
};

const sessionToken = "cs_EXAMPLE0example0EXAMPLE0example0";

const runId = "b7a4f1d2-3c58-4e96-8a07-51d9e2c6f043";

const conversation = {
  id: "d20e6b83-97f4-4c1a-b5d8-0a3e7f6c9214",
  agentId: agent.id,
  origin: "https://shop.example",
  visitorId: mintBody.visitor.id,
  createdAt: "2026-01-15T09:31:00.000Z",
  updatedAt: "2026-01-15T09:31:04.000Z",
  expiresAt: "2026-02-14T09:31:04.000Z",
  runCount: 1,
  costUsd: 0.0021,
};

const ownConversation = {
  id: conversation.id,
  title: "Where is my parcel A-1042?",
  createdAt: conversation.createdAt,
  updatedAt: conversation.updatedAt,
  messageCount: 2,
};

const ownTranscript = {
  ...ownConversation,
  messages: [
    {
      role: "user" as const,
      content: "Where is my parcel A-1042?",
      runId,
      createdAt: conversation.createdAt,
    },
    {
      role: "assistant" as const,
      content: "Your parcel is on its way.",
      runId,
      createdAt: conversation.updatedAt,
      sources: [
        { title: "Deliveries", used: true as const, text: "Parcels take two to three days." },
        { title: "Returns" },
      ],
      finishReason: "stop" as const,
    },
  ],
};

const fact = {
  id: "0199a1c4-7e2b-7d10-8f3a-5b6c7d8e9f01",
  text: "Prefers deliveries in the evening.",
  createdAt: conversation.createdAt,
  updatedAt: conversation.updatedAt,
};

const transcript = {
  ...conversation,
  runs: [{
    runId,
    agentVersion: 1,
    provider: "vendor_a",
    model: "demo",
    startedAt: "2026-01-15T09:31:00.000Z",
    endedAt: "2026-01-15T09:31:04.000Z",
    messages: [{ role: "user", content: "Where is my parcel A-1042?", claimed: false }],
    text: "Your parcel is on its way.",
    toolCalls: [{ name: "find_order", args: { number: "A-1042" }, output: { status: "shipped" } }],
    inputTokens: 312,
    outputTokens: 48,
    costUsd: 0.0021,
    finishReason: "stop",
  }],
};

const INTEGRITY = "sha384-" + "EXAMPLE0".repeat(8);

const problems: Partial<Record<DoctorCheck, DoctorReason>> = {
  csp: "policy_connections",
  token: "token_expired",
};

const doctorReport: DoctorReport = {
  findings: DOCTOR_CHECKS.map((check) => createFinding(check, problems[check] ?? "fine")),
  lines: embedSnippets({
    agent,
    origin: "https://shop.example",
    originAllowed: true,
    embed: {
      baseUrl: "https://chat.example",
      scriptBase: "https://cdn.example",
      integrity: INTEGRITY,
    },
  }),
};

const knowledgeBase = {
  id: "1c9d5e70-48b2-4f6a-a3d7-8e20b91c64f5",
  name: "Shipping and returns",
  language: "en" as const,
  documentCount: 1,
  chunkCount: 4,
  version: 2,
  createdAt: "2026-01-15T09:20:00.000Z",
  updatedAt: "2026-01-15T09:21:00.000Z",
};

const document = {
  id: "e3a7f0b4-5d21-4c98-b6e0-72f19a4d8c3b",
  title: "Returns",
  mediaType: "text/markdown" as const,
  bytes: 5_120,
  sha256: "6b0d5c1f3e8a94b7c2d60e1f58a3b7949d2c6e0f1a8b53c7d4e9f02a6b1c8d35",
  state: "ready" as const,
  createdAt: "2026-01-15T09:20:58.000Z",
  updatedAt: "2026-01-15T09:21:00.000Z",
};

const passage = {
  documentId: document.id,
  title: document.title,
  headingPath: ["Returns", "Deadlines"],
  position: 1,
  text: "You may return any book within 30 days.",
  score: 7.31,
};

const appearance = {
  title: "Shop assistant",
  accent: "#5b3fc4",
  greeting: "Hello! What are you looking for?",
  suggestions: ["Where is my order?", "Do you ship to Norway?"],
};

const visitorLimits = {
  costUsd: { limit: 2, left: 1.588 },
  messages: { limit: 100, left: 82 },
  per: "month" as const,
  resetsAt: "2026-02-01T00:00:00.000Z",
};

const attachment: Attachment = {
  id: "c41a7d08-5b2f-4f6e-9d13-7e80a2b5c694",
  kind: "image",
  mediaType: "image/jpeg",
  bytes: 184_320,
  name: "receipt.jpg",
  expiresAt: "2026-01-15T10:31:00.000Z",
};

/** Example values that several operations share; no real credentials. */
export const EXAMPLES = {
  attachment,
  shownAppearance: { ...appearance, offers: ["images" as const] },
  agentBody,
  agent,
  mintBody,
  visitorLimits,
  sessionToken,
  mintedSession: { sessionToken, expiresAt: "2026-01-15T09:45:00.000Z", messageCap: 50 },
  runId,
  doctorReport,
  integrity: INTEGRITY,
  conversationId: conversation.id,
  conversation,
  transcript,
  feedback: {
    rating: "down",
    comment: "The price is wrong.",
    reasons: ["incorrect"],
    ratedAt: "2026-01-15T09:32:10.000Z",
  },
  ...SEAL_EXAMPLES,
  ...REHEARSAL_EXAMPLES,
  ...TEST_SET_EXAMPLES,
  ...UNANSWERED_EXAMPLES,
  ...WEB_SOURCE_EXAMPLES,
  ownConversation,
  ownTranscript,
  fact,
  knowledgeBase,
  document,
  passage,
};
