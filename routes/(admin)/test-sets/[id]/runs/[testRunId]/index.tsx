import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { RunningPage } from "@/components/RunningPage.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { Notice } from "@/components/Notice.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { RunComparison } from "@/components/test_sets/RunComparison.tsx";
import { TestResultCard } from "@/components/test_sets/TestResultCard.tsx";
import { TestRunSummary } from "@/components/test_sets/TestRunSummary.tsx";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { findTestSet } from "@/lib/dashboard/test_sets/find_test_set.ts";
import { readResults } from "@/lib/dashboard/test_sets/read_results.ts";
import { testRunName } from "@/lib/dashboard/test_sets/test_run_name.ts";
import { isUuid, undefinedIfNotFound } from "@/lib/http/request_params.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { TEST_BOUNDS } from "@/lib/schemas/limits.ts";
import { define, type State } from "@/utils.ts";
import { translateMessage } from "@/lib/dashboard/texts/service_message.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const data = await readPage(ctx);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(data);
  },

  /** Stops, resumes or deletes it. */
  async POST(ctx) {
    const data = await readPage(ctx);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { runtime, testRuns } = ctx.state.service;
    const name = testRunName(ctx);
    const form = await readForm(ctx.req, runtime);
    try {
      if (form.get("action") === "delete") {
        await testRuns.delete(name);
        return ctx.redirect(withFlashMessage(`/test-sets/${name.set}`, "test_run_deleted"), 303);
      }
      if (form.get("action") === "resume") {
        const source = { kind: "user", id: signedIn(ctx.state).id } as const;
        await testRuns.resume({ ...name, source });
      } else await testRuns.stop(name);
      return ctx.redirect(ctx.url.pathname, 303);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const problem = translateMessage(error.message);
      return page({ ...data, problem }, { status: error.status });
    }
  },
});

async function readPage(ctx: Context<State>) {
  const { testRunReader } = ctx.state.service;
  const user = signedIn(ctx.state);
  const set = await findTestSet(ctx);
  if (set === undefined) return undefined;
  const run = await undefinedIfNotFound(() => testRunReader.read(testRunName(ctx)));
  if (run === undefined) return undefined;
  const name = testRunName(ctx);
  const { searchParams } = ctx.url;
  const before = searchParams.get("before") ?? "";
  const isAll = searchParams.has("all");
  const cursor = searchParams.get("cursor") ?? undefined;
  const [{ data: runs }, comparison, results] = await Promise.all([
    testRunReader.list({ tenant: user.tenant, set: set.id }, { limit: TEST_BOUNDS.runsPerSet }),
    run.state === "running"
      ? undefined
      : undefinedIfNotFound(() => testRunReader.compare(name, isUuid(before) ? before : undefined)),
    readResults(testRunReader, name, { isAll, cursor }),
  ]);
  return {
    ...{ set, run, comparison, results, isAll, cursor, editor: isEditor(user) },
    others: runs.filter(({ id, state }) => id !== run.id && state !== "running"),
    problem: undefined as string | undefined,
  };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { set, run, comparison, results, others, isAll, cursor, editor, problem } = data;
  const path = `/test-sets/${set.id}`;
  const isRunning = run.state === "running";
  const canResume = !isRunning && run.state !== "done" && run.notRun > 0;
  return (
    <>
      <PageHeader title={t("Test run")} back={{ href: path, label: set.name }}>
        <a class="button" href={`${url.pathname}/export?format=csv`} aria-current="false" download>
          {t("CSV")}
        </a>
        <a class="button" href={`${url.pathname}/export`} aria-current="false" download>
          {t("JSON lines")}
        </a>
      </PageHeader>
      {isRunning && cursor === undefined && <RunningPage pathname={url.pathname} />}
      <div class="sections">
        {problem !== undefined && <Notice kind="error" focused>{problem}</Notice>}
        <TestRunSummary run={run} />
        {editor && (
          <PostForm action={url.pathname} class="form-actions">
            {canResume && (
              <button class="button" type="submit" name="action" value="resume">
                {t("Continue")}
              </button>
            )}
            <button
              class="button"
              type="submit"
              name="action"
              value={isRunning ? "stop" : "delete"}
            >
              {isRunning ? t("Stop") : t("Delete run")}
            </button>
          </PostForm>
        )}
        <RunComparison action={url.pathname} {...{ comparison, others, path }} />
        <section class="stack" aria-labelledby="results">
          <h2 id="results">{isAll ? t("All results") : t("Failures")}</h2>
          <p>
            {isAll
              ? <a href={url.pathname} aria-current="false">{t("Show failures")}</a>
              : <a href={`${url.pathname}?all`} aria-current="false">{t("Show all results")}</a>}
          </p>
          {results.data.map((result) => (
            <TestResultCard key={result.caseId} result={result} path={path} />
          ))}
          {results.data.length === 0 && (
            <p class="prose">
              {isRunning ? t("Nothing yet.") : t("Nothing to show.")}
            </p>
          )}
          {results.hasMore && (
            <p class="prose">
              {t("Only the first failures are shown. Show all results or export them.")}
            </p>
          )}
        </section>
        {(cursor !== undefined || results.nextCursor) && (
          <nav class="pager" aria-label={t("Pages")}>
            {cursor !== undefined && (
              <a class="button" href={`${url.pathname}?all`} aria-current="false">
                {t("First results")}
              </a>
            )}
            {results.nextCursor && (
              <a
                class="button"
                href={`${url.pathname}?all&cursor=${encodeURIComponent(results.nextCursor)}`}
                aria-current="false"
              >
                {t("More results")}
              </a>
            )}
          </nav>
        )}
      </div>
    </>
  );
});
