import type { ChatMessage } from "../../schemas/chat.ts";
import type { NewRehearsal } from "../../schemas/rehearsal.ts";
import {
  type Conversation,
  type RunTranscript,
} from "../../store/conversations/conversation_record.ts";
import type {
  ConversationStore,
  RunWithTranscript,
} from "../../store/conversations/conversation_store.ts";
import { currentPath, isOnPath } from "../../store/conversations/current_path.ts";
import type { ConversationName } from "../../store/keys/keys.ts";
import type { RunRecord } from "../../store/runs/run_record.ts";

/** Conversations that are looked at, at most. */
const MAX_CONVERSATIONS = 1_000;
const PAGE_LENGTH = 50;
/** Earlier runs of a conversation that a replay has in its prompt. */
const MAX_EARLIER_RUNS = 50;

type Store = Pick<ConversationStore, "list" | "listRuns" | "readRunRecords" | "readVisitorId">;

/** Where a run is. */
export interface RecordedRunName {
  name: ConversationName;
  n: number;
  runId: string;
  endedAt: number;
}

/** A run to replay: the question with the turns before it, and what became of it. */
export interface RecordedRun {
  record: RunRecord;
  transcript: RunTranscript;
  messages: ChatMessage[];
  question: string;
  visitorId: string | undefined;
}

/**
 * The latest answers of an agent to its visitors and backends, newest first: not those of the playground,
 * of people, and those that were replaced.
 */
export async function findRecordedRuns(
  store: Store,
  { tenant, agentId, runs: limit, only }:
    & { tenant: string; agentId: string }
    & Pick<
      NewRehearsal,
      "runs" | "only"
    >,
): Promise<RecordedRunName[]> {
  const found: RecordedRunName[] = [];
  let cursor: string | undefined;
  let conversations = 0;
  do {
    const page = await store.list(tenant, { agentId, limit: PAGE_LENGTH, cursor });
    for (const conversation of page.data) {
      const oldest = found.length < limit ? -Infinity : found[limit - 1]!.endedAt;
      // The list is sorted by its last run, so none of the rest is newer.
      if (conversation.updatedAt < oldest) return found.slice(0, limit);
      if (conversation.source === "playground") continue;
      found.push(...await runsOf(store, { tenant, conversation, only, limit }));
      found.sort((a, b) => b.endedAt - a.endedAt || b.n - a.n);
      found.splice(limit);
    }
    conversations += page.data.length;
    cursor = page.nextCursor;
  } while (cursor !== undefined && conversations < MAX_CONVERSATIONS);
  return found;
}

async function runsOf(
  store: Store,
  { tenant, conversation, only, limit }: {
    tenant: string;
    conversation: Conversation;
    only: NewRehearsal["only"];
    limit: number;
  },
): Promise<RecordedRunName[]> {
  const { id, agentId, page, next } = conversation;
  const name = { tenant, id, agentId, page };
  const path = currentPath(conversation);
  const found: RecordedRunName[] = [];
  let from: number | undefined = Math.max(0, next - 2 * limit);
  while (from !== undefined) {
    const read: Awaited<ReturnType<Store["listRuns"]>> = await store
      .listRuns(name, { from, limit: PAGE_LENGTH });
    for (const run of read.runs) {
      if (!isOnPath(path, run.n) || !isWanted(run, only)) continue;
      found.push({ name, n: run.n, runId: run.row.runId, endedAt: run.row.endedAt });
    }
    from = read.next;
  }
  return found;
}

function isWanted(
  { transcript, feedback }: RunWithTranscript,
  only: NewRehearsal["only"],
): boolean {
  if (transcript === "unreadable" || questionOf(transcript) === undefined) return false;
  const [start] = transcript.layout ?? [];
  // A person read the message.
  if (typeof start === "object" && start.type === "start" && start.handoff !== undefined) {
    return false;
  }
  if (only === "rated_down") return feedback?.rating === "down";
  return only === "all" || transcript.tools.length > 0;
}

/** Reads a run with the turns before it; `undefined` if it was deleted meanwhile. */
export async function readRecordedRun(
  store: Store,
  { name, n, runId }: RecordedRunName,
  conversation: Conversation,
): Promise<RecordedRun | undefined> {
  const path = currentPath(conversation);
  const from = Math.max(0, n - MAX_EARLIER_RUNS);
  const runs: RunWithTranscript[] = [];
  for (let next: number | undefined = from; next !== undefined && next <= n;) {
    const page: Awaited<ReturnType<Store["listRuns"]>> = await store
      .listRuns(name, { from: next, limit: n - next + 1 });
    runs.push(...page.runs.filter((run) => run.n <= n));
    next = page.next;
  }
  const last = runs.at(-1);
  if (last?.row.runId !== runId || last.transcript === "unreadable") return undefined;
  const record = (await store.readRunRecords(name.tenant, [runId])).get(runId);
  const question = questionOf(last.transcript);
  if (record === undefined || question === undefined) return undefined;
  const earlier = runs.slice(0, -1).filter((run) => isOnPath(path, run.n));
  const turns = earlier.flatMap(({ transcript }) => toTurns(transcript));
  const asked = last.transcript.messages.map(toMessage);
  const messages = [...turns, ...asked];
  const first = messages.findIndex(({ role }) => role === "user");
  const visitorId = await store.readVisitorId(name.tenant, conversation);
  return {
    ...{ record, transcript: last.transcript, question: question.content, visitorId },
    messages: messages.slice(Math.max(0, first)),
  };
}

function questionOf({ messages }: RunTranscript): RunTranscript["messages"][number] | undefined {
  const last = messages.at(-1);
  return last?.role === "user" ? last : undefined;
}

function toTurns(transcript: RunWithTranscript["transcript"]): ChatMessage[] {
  if (transcript === "unreadable" || transcript.text === "") return [];
  const answer = { role: "assistant" as const, content: transcript.text };
  return [...transcript.messages.map(toMessage), answer];
}

function toMessage(
  { role, content, attachments }: RunTranscript["messages"][number],
): ChatMessage {
  const ids = attachments?.map(({ id }) => id);
  return { role, content, ...ids !== undefined && { attachments: ids } };
}
