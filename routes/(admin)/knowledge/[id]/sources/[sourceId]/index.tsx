import { type Context, page } from "fresh";
import { DescriptionList } from "@/components/DescriptionList.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { Time } from "@/components/Time.tsx";
import { BaseHeader } from "@/components/knowledge/BaseHeader.tsx";
import { CrawlNote } from "@/components/knowledge/sources/CrawlNote.tsx";
import { ReloadWhileCrawling } from "@/components/knowledge/sources/ReloadWhileCrawling.tsx";
import { SourceBadge } from "@/components/knowledge/sources/SourceBadge.tsx";
import { SOURCE_LABELS, SourceFields } from "@/components/knowledge/sources/SourceFields.tsx";
import { SourcePages } from "@/components/knowledge/sources/SourcePages.tsx";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  findSource,
  type FoundSource,
  readSourceForm,
  saveSource,
  type SourceIssues,
  toSourcePatch,
} from "@/lib/dashboard/knowledge/source_form.ts";
import { KIND_LABELS } from "@/lib/dashboard/knowledge/source_labels.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** A website with its pages, and its schedule. */
export const handler = define.handlers({
  async GET(ctx) {
    const found = await findSource(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { maxPages, schedule } = found.source;
    const issues: SourceIssues = {};
    const values = { maxPages: String(maxPages), schedule: schedule as string };
    return page({ values, issues, ...shared(ctx, found) });
  },

  async POST(ctx) {
    const found = await findSource(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { webSources, runtime } = ctx.state.service;
    const { maxPages, schedule } = readSourceForm(await readForm(ctx.req, runtime));
    const values = { maxPages, schedule };
    const saved = await saveSource(() => webSources.patch(found.of, toSourcePatch(values)));
    if ("source" in saved) {
      return ctx.redirect(withFlashMessage(ctx.url.pathname, "source_saved"), 303);
    }
    const { issues, status } = saved;
    return page({ values, issues, ...shared(ctx, found) }, { status });
  },
});

function shared(ctx: Context<State>, { base, source }: FoundSource) {
  return {
    base,
    source,
    cursor: ctx.url.searchParams.get("cursor") ?? undefined,
    editor: isEditor(signedIn(ctx.state)),
    now: ctx.state.service.runtime.now(),
  };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { base, source, values, issues, cursor, editor, now } = data;
  const path = url.pathname;
  const isReading = source.state !== "idle" && cursor === undefined;
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
        <section class="card stack" aria-labelledby="source">
          <h2 id="source" class="source-name">
            <a href={source.url} rel="noreferrer nofollow">{source.url}</a>{" "}
            <SourceBadge source={source} />
          </h2>
          <CrawlNote source={source} />
          {source.lastCrawl?.leftOut && (
            <p class="prose">{t("The site has more pages than this website may have.")}</p>
          )}
          <DescriptionList
            class="facts"
            of={{
              [t("What to read")]: t(KIND_LABELS[source.kind]),
              [t("Last read")]: source.lastCrawl && (
                <Time at={source.lastCrawl.endedAt} now={now} />
              ),
              [t("Next")]: source.nextCrawlAt && <Time at={source.nextCrawlAt} now={now} />,
            }}
          />
          {editor && <Actions path={path} isReading={source.state !== "idle"} />}
        </section>
        {editor && (
          <PostForm action={path} {...{ issues }} labels={SOURCE_LABELS} class="card stack">
            <div class="columns">
              <SourceFields {...{ values, issues }} />
            </div>
            <div class="form-actions">
              <button class="button" type="submit">{t("Save changes")}</button>
            </div>
          </PostForm>
        )}
        <section class="stack" aria-labelledby="pages">
          <h2 id="pages">{t("Pages")}</h2>
          {source.pages.length === 0
            ? <p class="prose">{t("No page was read yet.")}</p>
            : <SourcePages pages={source.pages} now={now} />}
          {(cursor !== undefined || source.nextCursor) && (
            <nav class="pager" aria-label={t("More pages")}>
              {cursor !== undefined && (
                <a class="button" href={path} aria-current="false">{t("First pages")}</a>
              )}
              {source.nextCursor && (
                <a
                  class="button"
                  href={`${path}?cursor=${encodeURIComponent(source.nextCursor)}`}
                  aria-current="false"
                >
                  {t("More pages")}
                </a>
              )}
            </nav>
          )}
        </section>
      </div>
    </>
  );
});

function Actions({ path, isReading }: { path: string; isReading: boolean }) {
  return (
    <div class="form-actions">
      <form method="post" action={`${path}/refresh`}>
        <button class="button button-primary" type="submit" disabled={isReading}>
          {t("Refresh now")}
        </button>
      </form>
      <a class="button" href={`${path}/delete`} aria-current="false">{t("Delete…")}</a>
    </div>
  );
}
