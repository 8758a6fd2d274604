import type { Agent } from "../schemas/agent.ts";
import type { ChatBody } from "../schemas/chat.ts";
import type { RunCanary, RunFacts } from "../store/runs/run_record.ts";
import type { SessionVisitor } from "../store/visitors/session_visitor.ts";

/** A message to answer. */
export interface ChatRequest {
  tenant: string;
  agent: Agent;
  body: ChatBody;
  /** The id of its run, once admitted. */
  runId: string;
  /** The `x-request-id`, used unless the body has one. */
  requestId: string;
  /** The page of a session. */
  origin?: string | undefined;
  /** Whom the session was minted for. */
  visitor?: SessionVisitor | undefined;
  /** The canary that divides its conversation. */
  canary?: RunCanary | undefined;
  /** The published version of the agent, if `agent` is that of the canary. */
  published?: Agent | undefined;
  /** The id of the conversation that it begins, if that is chosen already. */
  newConversationId?: string | undefined;
  /** The credential it was sent with. */
  source: RunFacts["source"];
}
