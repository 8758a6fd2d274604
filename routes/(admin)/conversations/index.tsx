import { type Context, page } from "fresh";
import { ConversationFilters, FindConversation } from "@/components/ConversationFilters.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { FINISH_LABELS, finishBadgeClass } from "@/lib/dashboard/finish_labels.ts";
import { formatCount, formatUsd } from "@/lib/dashboard/format_amount.ts";
import { PageHeader } from "@/components/PageHeader.tsx";
import { Time } from "@/components/Time.tsx";
import type { FoundConversation } from "@/lib/services/conversation_service.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { loadAgentNames } from "@/lib/dashboard/agents/agent_names.ts";
import {
  conversationHref,
  conversationsHref,
  COST_OPTIONS,
  readConversationFilters,
  toConversationSearch,
} from "@/lib/dashboard/conversation_filters.ts";
import { findConversationHref } from "@/lib/dashboard/find_conversation.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { sourceLabel } from "@/lib/dashboard/source_labels.ts";
import { pageRequestParams } from "@/lib/http/request_params.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { define, type State } from "@/utils.ts";

/** Agents that the filter offers. Conversation pages link to all conversations of their agent. */
const OFFERED_AGENTS = 50;

export const handler = define.handlers({
  async GET(ctx) {
    const id = ctx.url.searchParams.get("id")?.trim() ?? "";
    const href = id === "" ? undefined : await findConversationHref(ctx, id);
    if (href !== undefined) return ctx.redirect(href, 303);
    const data = await readList(ctx);
    // An invalid cursor from an old bookmark: show the first page.
    if (data === undefined) return ctx.redirect("/conversations", 303);
    return page({ ...data, id, missing: id !== "" });
  },
});

async function readList(ctx: Context<State>) {
  const { service } = ctx.state;
  const { tenant } = signedIn(ctx.state);
  const filters = readConversationFilters(ctx.url);
  try {
    const [found, offered] = await Promise.all([
      service.conversations.search(
        tenant,
        toConversationSearch(filters),
        pageRequestParams(ctx.url),
      ),
      service.agents.list(tenant, { limit: OFFERED_AGENTS }),
    ]);
    const names = new Map(offered.data.map(({ id, name }) => [id, name]));
    const ids = [filters.agentId, ...found.data.map(({ agentId }) => agentId)];
    const missing = ids.filter((id) => id !== "" && !names.has(id));
    for (const [id, name] of await loadAgentNames(missing, { tenant, agents: service.agents })) {
      names.set(id, name);
    }
    return { found, filters, names, now: service.runtime.now() };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
}

export default define.page<typeof handler>(({ data, url }) => {
  const { found, filters, names, now } = data;
  const isFiltered = Object.values(filters).some((value) => value !== "");
  const first = !url.searchParams.has("cursor");
  const agents = [...names].map(([id, name]) => ({ id, name }));
  return (
    <>
      <PageHeader
        title="Conversations"
        text="Messages between visitors and your agents, latest first."
      >
        <FindConversation id={data.id} missing={data.missing} />
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      <ConversationFilters filters={filters} agents={agents} costs={COST_OPTIONS} />
      {found.data.length > 0
        ? <List conversations={found.data} names={names} now={now} />
        : !found.cutShort && <Nothing isFiltered={isFiltered || !first} />}
      {found.cutShort && (
        <p class="prose cut-short">
          No more matches in this range. Older conversations were not searched yet.
        </p>
      )}
      <nav class="pager" aria-label="Pages">
        {!first && (
          <a class="button" href={conversationsHref(filters)} aria-current="false">Latest</a>
        )}
        {found.nextCursor && (
          <a
            class="button"
            href={conversationsHref(filters, found.nextCursor)}
            aria-current="false"
          >
            {found.cutShort ? "Search older" : "Older"}
          </a>
        )}
      </nav>
    </>
  );
});

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered
    ? (
      <EmptyState
        icon="conversations"
        title="No matching conversations"
        text="No stored conversation matches these filters."
      >
        <a class="button" href="/conversations" aria-current="false">Clear filters</a>
      </EmptyState>
    )
    : (
      <EmptyState
        icon="conversations"
        title="No conversations yet"
        text="Conversations between visitors and your agents appear here. Your plan sets how long they are stored."
      />
    );
}

function List(
  { conversations, names, now }: {
    conversations: readonly FoundConversation[];
    names: ReadonlyMap<string, string>;
    now: number;
  },
) {
  return (
    <ul class="rows">
      {conversations.map((one) => (
        <li key={conversationHref(one)} class="row">
          <div class="row-main">
            <p class="row-name">
              <a class="row-link" href={conversationHref(one)}>
                {names.get(one.agentId) ?? "Deleted agent"}
                <span class="sr-only">, conversation {one.id}</span>
              </a>
              {one.ended.map((end) => (
                <span key={end} class={finishBadgeClass(end)}>{FINISH_LABELS[end]}</span>
              ))}
            </p>
            <p class="row-text">{one.origin ?? sourceLabel(one.source)}</p>
          </div>
          <dl class="facts">
            <div>
              <dt>Runs</dt>
              <dd>{formatCount(one.runCount)}</dd>
            </div>
            <div>
              <dt>Cost</dt>
              <dd>{formatUsd(one.costUsd)}</dd>
            </div>
            <div>
              <dt>Last activity</dt>
              <dd>
                <Time at={one.updatedAt} now={now} />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  );
}
