import type { Operation } from "./operation.ts";
import { AGENT_OPERATIONS } from "./operations/agents.ts";
import { CHAT_OPERATIONS } from "./operations/chat.ts";
import { CONVERSATION_OPERATIONS } from "./operations/conversations.ts";
import { DOCUMENT_OPERATIONS } from "./operations/documents.ts";
import { KNOWLEDGE_BASE_OPERATIONS } from "./operations/knowledge_bases.ts";
import { SERVICE_OPERATIONS } from "./operations/service.ts";
import { SESSION_OPERATIONS } from "./operations/sessions.ts";
import { USAGE_OPERATIONS } from "./operations/usage.ts";

/** Every documented operation. A new route is one entry in one of these tables, or a test fails. */
export const OPERATIONS: readonly Operation[] = [
  ...AGENT_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...CHAT_OPERATIONS,
  ...CONVERSATION_OPERATIONS,
  ...KNOWLEDGE_BASE_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...SERVICE_OPERATIONS,
];
