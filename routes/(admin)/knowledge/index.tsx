import { page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { type Column, DataTable } from "@/components/DataTable.tsx";
import { type SortKeys, sortRows } from "@/lib/dashboard/sort_rows.ts";
import { PageNotice } from "@/components/Notice.tsx";
import { formatCount } from "@/lib/dashboard/format_amount.ts";
import { BaseForm } from "@/components/knowledge/BaseForm.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { Time } from "@/components/Time.tsx";
import DialogLink from "@/islands/DialogLink.tsx";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { EMPTY_KNOWLEDGE_BASE_FORM } from "@/lib/dashboard/knowledge/save_knowledge_base.ts";
import type { KnowledgeBase } from "@/lib/schemas/knowledge.ts";
import { MAX_QUOTAS } from "@/lib/schemas/limits.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The largest quota fits on one page. */
const LIMIT = MAX_QUOTAS.knowledgeBases;

const SORT_KEYS: SortKeys<KnowledgeBase> = {
  name: ({ name }) => name,
  documents: ({ documentCount }) => documentCount,
  passages: ({ chunkCount }) => chunkCount,
  updated: ({ updatedAt }) => updatedAt,
};

export const handler = define.handlers({
  async GET(ctx) {
    const { knowledge, runtime } = ctx.state.service;
    const user = signedIn(ctx.state);
    const { data: bases } = await knowledge.list(user.tenant, { limit: LIMIT });
    const by = { by: "updated", isDescending: true };
    const { rows, sorting } = sortRows(bases, { url: ctx.url, keys: SORT_KEYS, by });
    return page({ bases: rows, sorting, now: runtime.now(), editor: isEditor(user) });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { bases, editor, now } = data;
  const newBase = editor && (
    <DialogLink
      href="/knowledge/new"
      label={t("New knowledge base")}
      class="button button-primary"
      title={t("New knowledge base")}
    >
      <h2>{t("New knowledge base")}</h2>
      <BaseForm
        action="/knowledge/new"
        submit={t("Create")}
        values={EMPTY_KNOWLEDGE_BASE_FORM}
        issues={{}}
      />
    </DialogLink>
  );
  return (
    <>
      <PageHeader title={t("Knowledge")} text={t("Documents that your agents answer from.")}>
        {bases.length > 0 && newBase}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      {bases.length > 0
        ? (
          <DataTable
            caption={t("Knowledge bases")}
            columns={columns(now)}
            rows={bases}
            rowKey={({ id }) => id}
            url={url}
            sorting={data.sorting}
          />
        )
        : (
          <EmptyState
            icon="knowledge"
            title={t("No knowledge bases yet")}
            text={t(
              "Add your documents to a knowledge base and select it in an agent. Answers then cite them.",
            )}
          >
            {newBase}
          </EmptyState>
        )}
    </>
  );
});

function columns(now: number): Column<KnowledgeBase>[] {
  return [
    {
      id: "name",
      heading: t("Name"),
      isSortable: true,
      cell: ({ id, name, description }) => (
        <span class="cell-name">
          <a class="row-link" href={`/knowledge/${id}`}>{name}</a>
          <span class="cell-text">{description}</span>
        </span>
      ),
    },
    {
      id: "documents",
      heading: t("Documents"),
      isSortable: true,
      isNumber: true,
      cell: ({ documentCount }) => formatCount(documentCount),
    },
    {
      id: "passages",
      heading: t("Passages"),
      isSortable: true,
      isNumber: true,
      cell: ({ chunkCount }) => formatCount(chunkCount),
    },
    {
      id: "updated",
      heading: t("Updated"),
      isSortable: true,
      cell: ({ updatedAt }) => <Time at={updatedAt} now={now} />,
    },
  ];
}
