import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../../schemas/api_error.ts";
import { pageRequestParams } from "../../http/request_params.ts";
import type { Service } from "../../http/service.ts";
import type { InboxRow } from "../../services/conversation_inbox.ts";
import type { HandoffHead } from "../../store/handoffs/handoff_record.ts";
import { loadAgentNames } from "../agents/agent_names.ts";
import { signedIn } from "../authorization.ts";
import {
  type ConversationFilters,
  conversationsHref,
  isFiltered,
  readConversationFilters,
  toConversationSearch,
} from "../conversation_filters.ts";

/** Agents that the filter offers. Conversation pages link to all conversations of their agent. */
const OFFERED_AGENTS = 50;

/** The list pane. */
export interface Inbox {
  rows: InboxRow[];
  filters: ConversationFilters;
  /** The query of the list, carried by links to its conversations. */
  query: string;
  isFirstPage: boolean;
  nextCursor?: string | undefined;
  cutShort: boolean;
  /** Names of agents by id; deleted agents are missing. */
  names: ReadonlyMap<string, string>;
  /** Conversations that people should look at, whatever the filters. */
  queue: readonly HandoffHead[];
  /** Conversations whose answer waits for a person's approval, whatever the filters. */
  approvals: readonly InboxRow[];
  now: number;
  /** The agent of the filter, if the list is empty because it keeps no conversations. */
  keepingNothing?: string | undefined;
}

/** Reads the list that `url` filters; `undefined` for an invalid cursor. */
export async function readInbox(ctx: Context<State>, url: URL): Promise<Inbox | undefined> {
  const { service } = ctx.state;
  const { tenant } = signedIn(ctx.state);
  const filters = readConversationFilters(url);
  const search = toConversationSearch(filters);
  const isFirstPage = !url.searchParams.has("cursor");
  try {
    const [found, live, queue, approvals, offered] = await Promise.all([
      service.inbox.list(tenant, search, pageRequestParams(url)),
      isFirstPage && showsLive(filters) ? service.inbox.live(tenant, search) : [],
      service.handoffs.queue(tenant),
      readApprovals(service, tenant),
      service.agents.list(tenant, { limit: OFFERED_AGENTS }),
    ]);
    const names = new Map(offered.data.map(({ id, name }) => [id, name]));
    const rows = withLive(found.data, live);
    const shown = [...rows, ...queue, ...approvals];
    const ids = [filters.agentId, ...shown.map(({ agentId }) => agentId)];
    const missing = ids.filter((id) => id !== "" && !names.has(id));
    for (const [id, name] of await loadAgentNames(missing, { tenant, agents: service.agents })) {
      names.set(id, name);
    }
    const { nextCursor, cutShort } = found;
    const query = listQuery(url, filters);
    const now = service.runtime.now();
    const list = {
      rows,
      queue,
      approvals,
      filters,
      query,
      isFirstPage,
      nextCursor,
      cutShort,
      names,
      now,
    };
    if (rows.length > 0 || filters.agentId === "") return list;
    const agent = await service.agents.find(tenant, filters.agentId);
    return { ...list, ...agent?.retentionDays === 0 && { keepingNothing: agent.id } };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
}

/** Live conversations with a call that waits for a person. */
async function readApprovals(
  { runs, inbox }: Pick<Service, "runs" | "inbox">,
  tenant: string,
): Promise<InboxRow[]> {
  const waiting = (await runs.calls.waiting(tenant)).filter(({ waitsFor }) =>
    waitsFor === "person"
  );
  if (waiting.length === 0) return [];
  const nameOf = (id: string, agentId: string) => `${id} ${agentId}`;
  const names = new Set(waiting.map((call) => nameOf(call.conversationId, call.agentId)));
  return (await inbox.live(tenant, {})).filter(({ id, agentId }) => names.has(nameOf(id, agentId)));
}

/** The list that a conversation was opened from, as its URL says; otherwise all conversations. */
export async function readInboxBeside(ctx: Context<State>): Promise<Inbox> {
  const list = ctx.url.searchParams.get("list") ?? "";
  const all = new URL("/conversations", ctx.url);
  const found = await readInbox(ctx, new URL(`/conversations?${list}`, ctx.url)) ??
    await readInbox(ctx, all);
  return found!;
}

/** A run that is being answered has not ended, cost nothing, and is neither rated nor indexed. */
function showsLive({ from, to, finish, cost, rating, q }: ConversationFilters): boolean {
  return [from, to, finish, cost, rating, q].every((value) => value === "");
}

/** Live conversations first; those that the list has already are marked there. */
function withLive(rows: readonly InboxRow[], live: readonly InboxRow[]): InboxRow[] {
  const nameOf = ({ id, agentId, origin = "" }: InboxRow) => `${id} ${agentId} ${origin}`;
  const byName = new Map(live.map((row) => [nameOf(row), row]));
  const marked = rows.map((row): InboxRow => {
    const isLive = byName.delete(nameOf(row));
    return isLive ? { ...row, outcome: "live" } : row;
  });
  return [...byName.values(), ...marked];
}

function listQuery({ searchParams }: URL, filters: ConversationFilters): string {
  const cursor = searchParams.get("cursor") ?? undefined;
  if (!isFiltered(filters) && cursor === undefined) return "";
  return conversationsHref(filters, cursor).split("?")[1] ?? "";
}
