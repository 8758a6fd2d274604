import { type Context, page } from "fresh";
import { AGENT_SORT_KEYS, AgentTable } from "@/components/AgentTable.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { SearchForm } from "@/components/SearchForm.tsx";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { pageRequestParams } from "@/lib/http/request_params.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { type Sorting, sortRows } from "@/lib/dashboard/sort_rows.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Search results shown; beyond that, another search word is more useful than a longer list. */
const MOST_FOUND = 25;
const LONGEST_QUERY = 200;
/** More agents than this are listed by pages, newest first, and cannot be sorted. */
const MAX_PAGE = 100;

interface Data {
  agents: Agent[];
  /** The search query. */
  query: string;
  nextCursor?: string | undefined;
  /** Absent if this is only a part of the agents. */
  sorting?: Sorting;
  /** This is the first page. */
  first: boolean;
  /** The search found more than it shows. */
  more: boolean;
  now: number;
  editor: boolean;
}

export const handler = define.handlers({
  async GET(ctx) {
    try {
      const user = signedIn(ctx.state);
      const found = await findAgents(ctx, user.tenant);
      const now = ctx.state.service.runtime.now();
      return page<Data>({ ...found, now, editor: isEditor(user) });
    } catch (error) {
      // An invalid cursor from an old bookmark: show the first page.
      if (error instanceof ApiError && error.status === 400) return ctx.redirect("/agents", 303);
      throw error;
    }
  },
});

async function findAgents(
  ctx: Context<State>,
  tenant: string,
): Promise<Omit<Data, "now" | "editor">> {
  const { agents } = ctx.state.service;
  const query = (ctx.url.searchParams.get("q") ?? "").trim().slice(0, LONGEST_QUERY);
  if (query !== "") {
    const { data, more } = await agents.search(tenant, { query, limit: MOST_FOUND });
    return { agents: data, query, first: true, more };
  }
  const { data, nextCursor } = await agents.list(tenant, {
    ...pageRequestParams(ctx.url),
    limit: MAX_PAGE,
  });
  const first = !ctx.url.searchParams.has("cursor");
  if (!first || nextCursor !== undefined) {
    return { agents: data, query, nextCursor, first, more: false };
  }
  const by = { by: "updated", isDescending: true };
  const { rows, sorting } = sortRows(data, { url: ctx.url, keys: AGENT_SORT_KEYS, by });
  return { agents: rows, sorting, query, first, more: false };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { agents, editor, first, nextCursor, query } = data;
  const none = agents.length === 0 && query === "" && first;
  return (
    <>
      <PageHeader
        title={t("Agents")}
        text={t("Each agent has its own prompt, model, tools and budget.")}
      >
        {editor && !none && (
          <a class="button button-primary" href="/agents/new">{t("Create agent")}</a>
        )}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      {!none && <SearchForm query={query} label={t("Search agents by name or ID")} />}
      {none ? <NoAgents editor={editor} /> : <Found {...data} url={url} />}
      <nav class="pager" aria-label={t("Pages")}>
        {!first && <a class="button" href="/agents" aria-current="false">{t("Newest")}</a>}
        {nextCursor && (
          <a
            class="button"
            href={`/agents?cursor=${encodeURIComponent(nextCursor)}`}
            aria-current="false"
          >
            {t("Older")}
          </a>
        )}
      </nav>
    </>
  );
});

function Found({ agents, query, more, now, url, sorting }: Data & { url: URL }) {
  if (agents.length === 0) {
    return (
      <EmptyState
        icon="agents"
        title={t("No agents found")}
        text={query === ""
          ? t("There are no older agents.")
          : t("No agents match “{query}”.", { query })}
      >
        <a class="button" href="/agents" aria-current="false">{t("Show all agents")}</a>
      </EmptyState>
    );
  }
  return (
    <>
      <AgentTable agents={agents} now={now} url={url} sorting={sorting} />
      {more && (
        <p class="help list-note">
          {t("Showing the newest {agents}. Add a word to narrow the search.", {
            agents: agents.length,
          })}
        </p>
      )}
    </>
  );
}

function NoAgents({ editor }: { editor: boolean }) {
  return (
    <EmptyState
      icon="agents"
      title={t("No agents yet")}
      text={t(
        "Agents answer your visitors. Create one with a prompt and a model, then try it out.",
      )}
    >
      {editor && <a class="button button-primary" href="/agents/new">{t("Create agent")}</a>}
    </EmptyState>
  );
}
