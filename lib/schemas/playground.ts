import { z } from "zod";
import { domainSchema } from "./agent.ts";
import { chatBodySchema } from "./chat.ts";
import { FIELD_BOUNDS as B } from "./limits.ts";
import { toolDefinitionSchema } from "./tool_definition.ts";

/**
 * Body of the playground's `POST /agents/:id/try`: a conversation with the agent as it is, as it was
 * at `version`, or as the editor's `form` would make it.
 */
export const playgroundChatBodySchema = chatBodySchema.pick({
  messages: true,
  conversationId: true,
  provider: true,
  model: true,
}).extend({
  /** The editor's fields as typed. */
  form: z.record(z.string().max(64), z.string()).optional(),
  version: z.int().positive().optional(),
});
export type PlaygroundChatBody = z.infer<typeof playgroundChatBodySchema>;

/** Body of `POST /agents/:id/try/cancel`. */
export const playgroundCancelSchema = z.strictObject({ runId: z.uuid().toLowerCase() });

/**
 * Body of `POST /agents/test-tool`: one call of one tool that need not be stored. Without `call` an
 * MCP server is only asked what it offers.
 */
export const toolTestSchema = z.strictObject({
  tool: toolDefinitionSchema,
  /** Whose tool it is; a new agent has no id yet. */
  agentId: z.uuid().toLowerCase().optional(),
  allowedDomains: z.array(domainSchema).max(B.allowedDomains),
  call: z.strictObject({ name: z.string().max(128), args: z.record(z.string(), z.json()) })
    .optional(),
});

/** What a test call came to. */
export interface ToolTestReport {
  /** What the model would be given; absent when nothing was called. */
  output?: unknown;
  /** What the model would be told of: more than one with an MCP server. */
  offered: { name: string; description: string }[];
  /** Every hop that was made, and how it ended. */
  ledger: ToolTestHop[];
  /** Tools that were left out, and why. */
  notes: string[];
  ms: number;
}

/** One hop as the egress ledger has it. */
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
