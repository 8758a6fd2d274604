import { conversationHeadSchema } from "../conversations/conversation_record.ts";
import { sessionExpireIn, sessionRecordSchema } from "../credentials/session_store.ts";
import { contentContexts } from "../encryption/content_cipher.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import { memoryRecordSchema } from "../visitors/memory_store.ts";
import type { ResealDeps } from "./reseal_run_logs.ts";

/** Encrypts the ids of visitors, the values in their sessions, titles and memories with the current key. */
export function resealVisitors(deps: ResealDeps): ResealTask[] {
  return [sessionVisitors(deps), conversationVisitors(deps), memories(deps)];
}

function sessionVisitors({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "visitors of sessions",
    prefix: keys.allSessions(),
    async *reseal(entry) {
      const session = parseRecord(sessionRecordSchema, entry)!;
      const { visitor, tenant, id, exp } = session;
      const context = contentContexts.sessionVisitor(tenant, id);
      const sealed = visitor && await content.reseal(visitor.sealed, context);
      if (visitor === undefined || sealed === undefined) return;
      const next = { ...session, visitor: { ...visitor, sealed } };
      const expireIn = Math.max(1, sessionExpireIn(exp - now()));
      yield { entry, write: (step) => step.set(entry.key, next, { expireIn }) };
    },
  };
}

function conversationVisitors({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "visitors of conversations",
    prefix: keys.allConversations(),
    async *reseal(entry) {
      const head = parseRecord(conversationHeadSchema, entry);
      if (head === undefined || !("id" in head)) return;
      const { visitor, title, id, agentId, page } = head;
      const tenant = String(entry.key[1]);
      const sealed = visitor &&
        await content.reseal(visitor.sealed, contentContexts.visitorId(tenant, visitor.hash));
      const titleContext = contentContexts.conversationTitle({ tenant, id, agentId, page });
      const newTitle = title && await content.reseal(title, titleContext);
      if (sealed === undefined && newTitle === undefined) return;
      const next = {
        ...head,
        ...(visitor && sealed && { visitor: { ...visitor, sealed } }),
        ...(newTitle && { title: newTitle }),
      };
      const expireIn = Math.max(1, head.exp - now());
      yield { entry, write: (step) => step.set(entry.key, next, { expireIn }) };
    },
  };
}

function memories({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "memories of visitors",
    prefix: keys.allVisitorMemories(),
    async *reseal(entry) {
      const record = parseRecord(memoryRecordSchema, entry)!;
      const [, tenant, visitor, agentId] = entry.key.map(String) as [
        string,
        string,
        string,
        string,
      ];
      const context = contentContexts.visitorMemory({ tenant, visitor, agentId });
      const sealed = await content.reseal(record.sealed, context);
      if (sealed === undefined) return;
      const expireIn = Math.max(1, record.exp - now());
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealed }, { expireIn }) };
    },
  };
}
