import { type Context, page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { RunningPage } from "@/components/RunningPage.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { RehearsalSummary } from "@/components/rehearsals/RehearsalSummary.tsx";
import { ReplayedAnswer } from "@/components/rehearsals/ReplayedAnswer.tsx";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { undefinedIfNotFound, uuidParam } from "@/lib/http/request_params.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Results on a page. */
const PAGE_LENGTH = 20;

export const handler = define.handlers({
  async GET(ctx) {
    const data = await readPage(ctx);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(data);
  },

  /** Stops or deletes it. */
  async POST(ctx) {
    const { rehearsals, runtime } = ctx.state.service;
    const form = await readForm(ctx.req, runtime);
    const done = await undefinedIfNotFound(async () => {
      const name = nameOf(ctx);
      if (form.get("action") === "delete") {
        await rehearsals.delete(name);
        return withFlashMessage(`/agents/${name.agentId}/rehearse`, "rehearsal_deleted");
      }
      await rehearsals.stop(name);
      return ctx.url.pathname;
    });
    if (done === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return ctx.redirect(done, 303);
  },
});

function nameOf(ctx: Context<State>) {
  const { tenant } = signedIn(ctx.state);
  return { tenant, agentId: uuidParam(ctx.params.id), id: uuidParam(ctx.params.rehearsalId) };
}

async function readPage(ctx: Context<State>) {
  const agent = await findAgent(ctx);
  if (agent === undefined) return undefined;
  const cursor = ctx.url.searchParams.get("cursor") ?? undefined;
  const report = await undefinedIfNotFound(() =>
    ctx.state.service.rehearsals.get(nameOf(ctx), { limit: PAGE_LENGTH, cursor })
  );
  return report && { agent, report, cursor, editor: isEditor(signedIn(ctx.state)) };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { agent, report, cursor, editor } = data;
  const path = `/agents/${agent.id}/rehearse`;
  const isRunning = report.state === "running";
  return (
    <>
      <AgentHeader agent={agent} tab="rehearse" editor={editor} />
      {isRunning && cursor === undefined && <RunningPage pathname={url.pathname} />}
      <div class="sections">
        <RehearsalSummary rehearsal={report} />
        {editor
          ? (
            <PostForm action={url.pathname} class="form-actions">
              <a class="button" href={path} aria-current="false">{t("All rehearsals")}</a>
              <button
                class="button"
                type="submit"
                name="action"
                value={isRunning ? "stop" : "delete"}
              >
                {isRunning ? t("Stop") : t("Delete rehearsal")}
              </button>
            </PostForm>
          )
          : <a href={path} aria-current="false">{t("All rehearsals")}</a>}
        <section class="stack" aria-label={t("Answers")}>
          {report.results.map((result) => <ReplayedAnswer key={result.runId} result={result} />)}
          {report.results.length === 0 && !isRunning && (
            <p class="prose">
              {report.runs === 0
                ? t(
                  "No recorded answer fits. Only stored conversations of visitors and backends count.",
                )
                : t("Nothing to show.")}
            </p>
          )}
        </section>
        {(cursor !== undefined || report.nextCursor) && (
          <nav class="pager" aria-label={t("Pages")}>
            {cursor !== undefined && (
              <a class="button" href={url.pathname} aria-current="false">{t("First answers")}</a>
            )}
            {report.nextCursor && (
              <a
                class="button"
                href={`${url.pathname}?cursor=${encodeURIComponent(report.nextCursor)}`}
                aria-current="false"
              >
                {t("More answers")}
              </a>
            )}
          </nav>
        )}
      </div>
    </>
  );
});
