import { ApiError } from "../../schemas/api_error.ts";
import type { Conversation, ConversationRun, Transcript } from "../../schemas/conversation.ts";
import type {
  ConversationInbox,
  InboxRow,
  InboxSearch,
} from "../../services/conversation_inbox.ts";
import type { ConversationService } from "../../services/conversation_service.ts";
import { csvLine, csvText } from "../../platform/csv_line.ts";

export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = typeof EXPORT_FORMATS[number];

/** Conversations and runs read at a time. */
const PAGE_SIZE = 20;

export interface ExportDeps {
  inbox: Pick<ConversationInbox, "list">;
  conversations: Pick<ConversationService, "get">;
}

/** A run with its conversation: one line of an export. */
interface ExportedRun {
  conversation: Conversation;
  run: ConversationRun;
  /** With the first run of a conversation that people had. */
  handoff?: Transcript["handoff"];
}

/** The lines of an export of all conversations, or runs, that the list would show. */
export async function* exportConversations(
  deps: ExportDeps,
  { tenant, search, format }: { tenant: string; search: InboxSearch; format: ExportFormat },
): AsyncGenerator<string> {
  if (format === "csv") yield csvLine(CSV_COLUMNS.map(([name]) => csvText(name)));
  for await (const row of allRows(deps, { tenant, search })) {
    for await (const exported of runsOf(deps, { tenant, row })) {
      yield format === "csv" ? toCsv(exported) : toJson(exported);
    }
  }
}

/**
 * Each row once, though the list changes while it is read: a conversation that gets a message moves to
 * its top, past the cursor, so what was updated since the beginning is listed again. Of what was
 * exported, only the names are kept in memory.
 */
async function* allRows(
  deps: ExportDeps,
  { tenant, search }: { tenant: string; search: InboxSearch },
): AsyncGenerator<InboxRow> {
  const exported = new Set<string>();
  let latest: InboxRow | undefined;
  for await (const row of listedRows(deps, { tenant, search })) {
    latest ??= row;
    if (isNew(row, exported)) yield row;
  }
  // Rows that are about one run do not move.
  if (latest === undefined || latest.run !== undefined) return;
  const since = { ...search, from: Date.parse(latest.at) };
  for await (const row of listedRows(deps, { tenant, search: since })) {
    if (isNew(row, exported)) yield row;
  }
}

function isNew(
  { id, agentId, origin = "", visitor, run }: InboxRow,
  exported: Set<string>,
): boolean {
  const { size } = exported;
  return exported.add([id, agentId, origin, visitor, run?.runId].join(" ")).size > size;
}

async function* listedRows(
  { inbox }: ExportDeps,
  { tenant, search }: { tenant: string; search: InboxSearch },
): AsyncGenerator<InboxRow> {
  let cursor: string | undefined;
  do {
    const page = await inbox.list(tenant, search, { limit: PAGE_SIZE, cursor });
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** The runs of a conversation; of a row that is about one run, only that. */
async function* runsOf(
  { conversations }: ExportDeps,
  { tenant, row }: { tenant: string; row: InboxRow },
): AsyncGenerator<ExportedRun> {
  const { agentId, origin = "", visitor = "" } = row;
  const filter = { agentId, origin, visitor };
  let cursor: string | undefined;
  do {
    const found = await conversations
      .get(tenant, row.id, { filter, page: { limit: PAGE_SIZE, cursor } })
      .catch(undefinedIfDeleted);
    if (found === undefined) return;
    const { runs, nextCursor, handoff, ...conversation } = found;
    for (const [n, run] of runs.entries()) {
      if (row.run !== undefined && row.run.runId !== run.runId) continue;
      const isFirst = row.run === undefined && n === 0;
      yield { conversation, run, ...isFirst && handoff && { handoff } };
    }
    cursor = nextCursor;
  } while (cursor !== undefined);
}

/** A conversation may be deleted while the export runs. */
function undefinedIfDeleted(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}

function toJson({ conversation, run, handoff }: ExportedRun): string {
  const { id, agentId, origin, source, visitorId } = conversation;
  const of = { conversationId: id, agentId, origin, source, visitorId };
  return `${JSON.stringify({ ...of, ...run, handoff })}\n`;
}

type Cell = (exported: ExportedRun) => string | number;

const CSV_COLUMNS: readonly (readonly [name: string, cell: Cell])[] = [
  ["conversation_id", ({ conversation }) => csvText(conversation.id)],
  ["run_id", ({ run }) => csvText(run.runId)],
  ["agent_id", ({ conversation }) => csvText(conversation.agentId)],
  ["agent_version", ({ run }) => run.agentVersion],
  ["source", ({ conversation }) => csvText(conversation.source ?? "")],
  ["protocol", ({ run }) => csvText(run.protocol ?? "native")],
  ["origin", ({ conversation }) => csvText(conversation.origin ?? "")],
  ["started_at", ({ run }) => csvText(run.startedAt)],
  ["ended_at", ({ run }) => csvText(run.endedAt)],
  ["question", ({ run }) => csvText(run.messages.find(({ claimed }) => !claimed)?.content ?? "")],
  ["answer", ({ run }) => csvText(run.text)],
  ["tools", ({ run }) => csvText(run.toolCalls.map(({ name }) => name).join(" "))],
  ["finish_reason", ({ run }) => csvText(run.finishReason)],
  ["error_code", ({ run }) => csvText(run.errorCode ?? "")],
  ["provider", ({ run }) => csvText(run.provider)],
  ["model", ({ run }) => csvText(run.model)],
  ["input_tokens", ({ run }) => run.inputTokens],
  ["output_tokens", ({ run }) => run.outputTokens],
  ["cost_usd", ({ run }) => run.costUsd.toFixed(6)],
  ["visitor_id", ({ conversation }) => csvText(conversation.visitorId ?? "")],
  ["rating", ({ run }) => csvText(run.feedback?.rating ?? "")],
  ["rating_reasons", ({ run }) => csvText(run.feedback?.reasons?.join(", ") ?? "")],
  ["rating_comment", ({ run }) => csvText(run.feedback?.comment ?? "")],
  ["replaces", ({ run }) => csvText(run.replaces ?? "")],
  ["superseded", ({ run }) => csvText(run.superseded ? "true" : "")],
];

function toCsv(exported: ExportedRun): string {
  return csvLine(CSV_COLUMNS.map(([, cell]) => cell(exported)));
}
