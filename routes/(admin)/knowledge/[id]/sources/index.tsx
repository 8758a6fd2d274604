import { type Context, page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { BaseHeader } from "@/components/knowledge/BaseHeader.tsx";
import { ReloadWhileCrawling } from "@/components/knowledge/sources/ReloadWhileCrawling.tsx";
import { SourceForm } from "@/components/knowledge/sources/SourceForm.tsx";
import { SourceList } from "@/components/knowledge/sources/SourceList.tsx";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import {
  findKnowledgeBase,
  type FoundKnowledgeBase,
} from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import {
  NEW_SOURCE,
  readSourceForm,
  saveSource,
  type SourceIssues,
  toSourceBody,
} from "@/lib/dashboard/knowledge/source_form.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The websites of a knowledge base, and a form that adds one. */
export const handler = define.handlers({
  async GET(ctx) {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const issues: SourceIssues = {};
    return page({ values: NEW_SOURCE, issues, ...await shared(ctx, found) });
  },

  async POST(ctx) {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { webSources, runtime } = ctx.state.service;
    const values = readSourceForm(await readForm(ctx.req, runtime));
    const saved = await saveSource(() => webSources.create(found.ref, toSourceBody(values)));
    if ("source" in saved) {
      return ctx.redirect(`/knowledge/${found.base.id}/sources/${saved.source.id}`, 303);
    }
    const { issues, status } = saved;
    return page({ values, issues, ...await shared(ctx, found) }, { status });
  },
});

async function shared(ctx: Context<State>, { base, ref }: FoundKnowledgeBase) {
  const { webSources, runtime } = ctx.state.service;
  return {
    base,
    sources: await webSources.list(ref),
    editor: isEditor(signedIn(ctx.state)),
    now: runtime.now(),
  };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { base, sources, values, issues, editor, now } = data;
  const path = `/knowledge/${base.id}/sources`;
  const isReading = sources.some(({ state }) => state !== "idle");
  return (
    <>
      <BaseHeader
        base={base}
        tab="sources"
        editor={editor}
        titlePrefix={unsavedTitle({ ...issues })}
      />
      {isReading && Object.keys(issues).length === 0 && <ReloadWhileCrawling path={path} />}
      <PageNotice notice={flashMessageOf(url)} />
      <div class="sections">
        {sources.length > 0 && <SourceList sources={sources} path={path} now={now} />}
        {sources.length === 0 && (
          <EmptyState
            icon="knowledge"
            title={t("No websites")}
            text={t("The pages of a website become documents, and are kept up to date.")}
          />
        )}
        {editor && <SourceForm action={path} {...{ values, issues }} />}
      </div>
    </>
  );
});
