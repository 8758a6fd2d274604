import type { VisitorAccounts } from "../../billing/visitor_accounts.ts";
import type { RunRegistry } from "../../chat/run_registry.ts";
import type { AgentService } from "../../services/agent_service.ts";
import type { ConversationService } from "../../services/conversation_service.ts";
import type { HandoffTranscripts } from "../../services/handoff_transcripts.ts";
import { VisitorErasures } from "../../services/visitor_erasures.ts";
import { VisitorExport } from "../../services/visitor_export.ts";
import { VisitorMemories } from "../../services/visitor_memories.ts";
import type { AttachmentStore } from "../../store/attachments/attachment_store.ts";
import type { ConversationStore } from "../../store/conversations/conversation_store.ts";
import type { OwnConversationStore } from "../../store/conversations/own_conversation_store.ts";
import type { FeedbackStore } from "../../store/feedback/feedback_store.ts";
import { ErasureStore } from "../../store/visitors/erasure_store.ts";
import type { MemoryStore } from "../../store/visitors/memory_store.ts";
import { VisitorData } from "../../store/visitors/visitor_data.ts";
import type { CoreDeps } from "./core_deps.ts";

/** What is stored about visitors: read, exported and erased. */
export function openVisitors({ kv, content, runtime, log }: CoreDeps, deps: {
  accounts: VisitorAccounts;
  agents: AgentService;
  attachments: AttachmentStore;
  conversations: ConversationStore;
  conversationService: ConversationService;
  feedbackStore: FeedbackStore;
  handoffTranscripts: HandoffTranscripts;
  memories: MemoryStore;
  own: OwnConversationStore;
  runs: RunRegistry;
}) {
  const { accounts, agents, attachments, conversations, memories, own, runs } = deps;
  const data = new VisitorData(kv, conversations);
  return {
    visitorMemories: new VisitorMemories(memories, { content, agents }),
    visitorErasures: new VisitorErasures({
      ...{ conversations, data, runs, content, runtime, log, accounts },
      erasures: new ErasureStore(kv, runtime),
    }),
    visitorExport: new VisitorExport({
      ...{ own, data, content, attachments, memories },
      conversations: deps.conversationService,
      ...{ handoffs: deps.handoffTranscripts, feedback: deps.feedbackStore },
    }),
  };
}
