import { page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { DescriptionList } from "@/components/DescriptionList.tsx";
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

/** The largest quota fits on one page. */
const LIMIT = MAX_QUOTAS.knowledgeBases;

export const handler = define.handlers({
  async GET(ctx) {
    const { knowledge, runtime } = ctx.state.service;
    const user = signedIn(ctx.state);
    const { data: bases } = await knowledge.list(user.tenant, { limit: LIMIT });
    return page({ bases, now: runtime.now(), editor: isEditor(user) });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { bases, editor, now } = data;
  const newBase = editor && (
    <DialogLink
      href="/knowledge/new"
      label="New knowledge base"
      class="button button-primary"
      title="New knowledge base"
    >
      <h2>New knowledge base</h2>
      <BaseForm
        action="/knowledge/new"
        submit="Create"
        values={EMPTY_KNOWLEDGE_BASE_FORM}
        issues={{}}
      />
    </DialogLink>
  );
  return (
    <>
      <PageHeader title="Knowledge" text="Documents that your agents answer from.">
        {bases.length > 0 && newBase}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      {bases.length > 0
        ? (
          <ul class="rows">
            {bases.map((base) => <BaseRow key={base.id} base={base} now={now} />)}
          </ul>
        )
        : (
          <EmptyState
            icon="knowledge"
            title="No knowledge bases yet"
            text="Add your documents to a knowledge base and select it in an agent. Answers then cite them."
          >
            {newBase}
          </EmptyState>
        )}
    </>
  );
});

function BaseRow({ base, now }: { base: KnowledgeBase; now: number }) {
  return (
    <li class="row">
      <div class="row-main">
        <a class="row-link" href={`/knowledge/${base.id}`}>{base.name}</a>
        {base.description && <p class="row-text">{base.description}</p>}
      </div>
      <DescriptionList
        class="facts"
        of={{
          Documents: formatCount(base.documentCount),
          Passages: formatCount(base.chunkCount),
          Updated: <Time at={base.updatedAt} now={now} />,
        }}
      />
    </li>
  );
}
