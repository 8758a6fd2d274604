import { z } from "zod";

/** What a change is about. */
export const AUDIT_KINDS = [
  "agent",
  "knowledge base",
  "document",
  "web source",
  "test set",
  "key",
  "secret",
  /** Connections to MCP servers that demand OAuth. */
  "mcp server",
  "user",
  "invite",
  "plan",
  "tenant",
  "model",
  "slot",
  /** Sign-ins, sign-outs and failed attempts. */
  "sign-in",
  /** Rejected by the dashboard: a role that is not allowed, a form of another site. */
  "access",
  "advice",
  /** Exports, and answers that a person stopped. */
  "conversation",
] as const;
export type AuditKind = typeof AUDIT_KINDS[number];

export const auditRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  at: z.int(),
  actor: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("user"), id: z.string(), name: z.string() }),
    z.object({ kind: z.literal("api_key"), id: z.string() }),
    z.object({ kind: z.literal("command_line") }),
    z.object({ kind: z.literal("service") }),
    z.object({ kind: z.literal("anonymous") }),
  ]),
  kind: z.enum(AUDIT_KINDS),
  /** One word or two: `create`, `delete`, `change password`. */
  action: z.string(),
  target: z.object({ id: z.string(), name: z.string() }),
  changes: z.array(z.object({
    field: z.string(),
    before: z.string().optional(),
    after: z.string().optional(),
  })),
  /** When the entry expires, milliseconds; absent in entries of earlier releases. */
  exp: z.int().optional(),
});
export type AuditEntry = z.infer<typeof auditRecordSchema>;
