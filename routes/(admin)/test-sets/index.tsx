import { page } from "fresh";
import { type Column, DataTable } from "@/components/DataTable.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { Time } from "@/components/Time.tsx";
import { loadAgentNames } from "@/lib/dashboard/agents/agent_names.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { formatCount, formatPercent } from "@/lib/dashboard/format_amount.ts";
import { type SortKeys, sortRows } from "@/lib/dashboard/sort_rows.ts";
import { MAX_QUOTAS } from "@/lib/schemas/limits.ts";
import type { TestSet } from "@/lib/schemas/test_set.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

const SORT_KEYS: SortKeys<TestSet> = {
  name: ({ name }) => name,
  cases: ({ cases }) => cases,
  updated: ({ updatedAt }) => updatedAt,
};

export const handler = define.handlers({
  async GET(ctx) {
    const { agents, runtime, testSets } = ctx.state.service;
    const user = signedIn(ctx.state);
    const { data } = await testSets.list(user.tenant, { limit: MAX_QUOTAS.testSets });
    const names = await loadAgentNames(data.map(({ agentId }) => agentId), {
      ...{ tenant: user.tenant, agents },
    });
    const by = { by: "updated", isDescending: true };
    const { rows, sorting } = sortRows(data, { url: ctx.url, keys: SORT_KEYS, by });
    return page({ sets: rows, sorting, names, now: runtime.now(), editor: isEditor(user) });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { sets, sorting, names, now, editor } = data;
  const create = editor && (
    <a class="button button-primary" href="/test-sets/new" aria-current="false">
      {t("New test set")}
    </a>
  );
  return (
    <>
      <PageHeader
        title={t("Test sets")}
        text={t("Questions with expected answers. Run them against any version of an agent.")}
      >
        {sets.length > 0 && create}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      {sets.length > 0
        ? (
          <DataTable
            caption={t("Test sets")}
            columns={columns({ names, now })}
            rows={sets}
            rowKey={({ id }) => id}
            url={url}
            sorting={sorting}
          />
        )
        : (
          <EmptyState
            icon="test_sets"
            title={t("No test sets yet")}
            text={t(
              "Write questions, import them, or add one from a conversation. Then compare how each version answers.",
            )}
          >
            {create}
          </EmptyState>
        )}
    </>
  );
});

function columns(
  { names, now }: { names: ReadonlyMap<string, string>; now: number },
): Column<TestSet>[] {
  return [
    {
      id: "name",
      heading: t("Name"),
      isSortable: true,
      cell: ({ id, name, agentId }) => (
        <span class="cell-name">
          <a class="row-link" href={`/test-sets/${id}`} dir="auto">{name}</a>
          <span class="cell-text">
            <bdi>{names.get(agentId) ?? t("Deleted agent")}</bdi>
          </span>
        </span>
      ),
    },
    {
      id: "cases",
      heading: t("Cases"),
      isSortable: true,
      isNumber: true,
      cell: ({ cases }) => formatCount(cases),
    },
    {
      id: "threshold",
      heading: t("Required"),
      isNumber: true,
      cell: ({ threshold }) => formatPercent(100 * threshold),
    },
    {
      id: "updated",
      heading: t("Updated"),
      isSortable: true,
      cell: ({ updatedAt }) => <Time at={updatedAt} now={now} />,
    },
  ];
}
