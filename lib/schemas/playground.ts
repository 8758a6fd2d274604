import { z } from "zod";
import { domainSchema } from "./agent.ts";
import { chatBodySchema, CONVERSATION_MISSING, namesConversation } from "./chat.ts";
import { FIELD_BOUNDS as B } from "./limits.ts";
import { toolDefinitionSchema } from "./tool_definition.ts";
import { callDecisionSchema, callOutputSchema } from "./waiting_call.ts";

const { messages, conversationId, replaces, provider, model } = chatBodySchema.shape;

/** For `POST /agents/:id/try`: the agent, a `version` of it, or the editor's unsaved `form`. */
export const playgroundChatBodySchema = z.strictObject({
  ...{ messages, conversationId, replaces, provider, model },
  /** The editor's fields as typed. */
  form: z.record(z.string().max(64), z.string()).optional(),
  version: z.int().positive().optional(),
}).refine(namesConversation, CONVERSATION_MISSING);
export type PlaygroundChatBody = z.infer<typeof playgroundChatBodySchema>;

/** Body of `POST /agents/:id/try/cancel`. */
export const playgroundCancelSchema = z.strictObject({ runId: z.uuid().toLowerCase() });

/** Body of `POST /agents/:id/try/call`: what a visitor's page would send. */
export const playgroundCallSchema = z.strictObject({
  runId: z.uuid().toLowerCase(),
  n: z.int().positive(),
  reply: z.union([callDecisionSchema, callOutputSchema]),
});

/** Body of `POST /agents/test-tool`. Without `call` the tools of an MCP server are listed. */
export const toolTestSchema = z.strictObject({
  tool: toolDefinitionSchema,
  /** The tool's agent; a new agent has no id yet. */
  agentId: z.uuid().toLowerCase().optional(),
  allowedDomains: z.array(domainSchema).max(B.allowedDomains),
  call: z.strictObject({ name: z.string().max(128), args: z.record(z.string(), z.json()) })
    .optional(),
});

export interface ToolTestReport {
  /** What the model would receive; absent if nothing was called. */
  output?: unknown;
  /** The tools that the model would see; an MCP server may have several. */
  offered: { name: string; description: string }[];
  /** Every request, including redirects. */
  ledger: ToolTestHop[];
  /** Omitted tools, with reasons. */
  notes: string[];
  ms: number;
}

export interface ToolTestHop {
  host: string;
  address?: string;
  method: string;
  status?: number;
  bytes: number;
  ms: number;
  refused?: string;
  hop: number;
}
