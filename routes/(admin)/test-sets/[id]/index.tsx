import { type Context, page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { CaseList } from "@/components/test_sets/CaseList.tsx";
import { ImportCasesForm } from "@/components/test_sets/ImportCasesForm.tsx";
import { TestRunForm } from "@/components/test_sets/TestRunForm.tsx";
import { TestRunList } from "@/components/test_sets/TestRunList.tsx";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { formatPercent, plural } from "@/lib/dashboard/format_amount.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { findTestSet } from "@/lib/dashboard/test_sets/find_test_set.ts";
import { importCases } from "@/lib/dashboard/test_sets/import_cases.ts";
import {
  readTestRunForm,
  startTestRun,
  type TestRunIssues,
  type TestRunValues,
} from "@/lib/dashboard/test_sets/test_run_form.ts";
import { undefinedIfNotFound } from "@/lib/http/request_params.ts";
import type { TestSet } from "@/lib/schemas/test_set.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

const CASES_PER_PAGE = 50;
const LISTED_RUNS = 20;
const LISTED_VERSIONS = 20;

/** What was sent and is wrong with it. */
interface Sent {
  run?: { values: TestRunValues; issues: TestRunIssues };
  lines?: { text: string; issue: string };
}

export const handler = define.handlers({
  async GET(ctx) {
    const set = await findTestSet(ctx);
    if (set === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(await readPage(ctx, set));
  },

  /** Starts a run, or adds cases from lines of JSON. */
  async POST(ctx) {
    const set = await findTestSet(ctx);
    if (set === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { runtime, testCases, testRuns } = ctx.state.service;
    const { tenant, id: userId } = signedIn(ctx.state);
    const form = await readForm(ctx.req, runtime);
    const path = `/test-sets/${set.id}`;
    if (form.get("action") === "import") {
      const text = form.get("lines") ?? "";
      const rejected = await importCases(testCases, { tenant, id: set.id }, text);
      if (rejected === undefined) return ctx.redirect(withFlashMessage(path, "cases_added"), 303);
      const { issue, status } = rejected;
      return page(await readPage(ctx, set, { lines: { text, issue } }), { status });
    }
    const values = readTestRunForm(form);
    const source = { kind: "user", id: userId } as const;
    const result = await startTestRun(testRuns, { tenant, set: set.id, source }, values);
    if ("run" in result) return ctx.redirect(`${path}/runs/${result.run.id}`, 303);
    const { issues, status } = result;
    return page(await readPage(ctx, set, { run: { values, issues } }), { status });
  },
});

async function readPage(ctx: Context<State>, set: TestSet, sent: Sent = {}) {
  const { agents, runtime, testCases, testRunReader } = ctx.state.service;
  const user = signedIn(ctx.state);
  const { tenant } = user;
  const cursor = ctx.url.searchParams.get("cursor") ?? undefined;
  const [agent, versions, cases, runs] = await Promise.all([
    undefinedIfNotFound(() => agents.get(tenant, set.agentId)),
    undefinedIfNotFound(() => agents.listVersions(tenant, set.agentId, { limit: LISTED_VERSIONS })),
    testCases.list({ tenant, id: set.id }, { limit: CASES_PER_PAGE, cursor }),
    testRunReader.list({ tenant, set: set.id }, { limit: LISTED_RUNS }),
  ]);
  return {
    ...{ set, agent, cases, cursor, runs: runs.data, sent },
    versions: versions?.data.map(({ version }) => version) ?? [],
    editor: isEditor(user),
    now: runtime.now(),
  };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { set, agent, cases, cursor, runs, sent, versions, editor, now } = data;
  const path = `/test-sets/${set.id}`;
  const values = sent.run?.values ?? { version: "draft", budget: String(set.budgetUsd) };
  return (
    <>
      <PageHeader
        title={set.name}
        titlePrefix={unsavedTitle({ ...sent.run?.issues, lines: sent.lines?.issue })}
        back={{ href: "/test-sets", label: t("Test sets") }}
      >
        {editor && (
          <a class="button" href={`${path}/settings`} aria-current="false">{t("Settings")}</a>
        )}
        <a class="button" href={`${path}/export`} aria-current="false" download>
          {t("Export cases")}
        </a>
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      <div class="sections">
        <p class="prose">
          <bdi>{agent?.name ?? t("Deleted agent")}</bdi> ·{" "}
          {plural(set.cases, "{count} case", "{count} cases")} ·{" "}
          {t("{share} required", { share: formatPercent(100 * set.threshold) })}
        </p>
        {editor && agent && (
          <TestRunForm action={path} issues={sent.run?.issues ?? {}} {...{ values, versions }} />
        )}
        <section aria-labelledby="runs">
          <h2 id="runs">{t("Runs")}</h2>
          {runs.length === 0
            ? <p class="prose">{t("No runs yet.")}</p>
            : <TestRunList runs={runs} path={path} now={now} />}
        </section>
        <section class="stack" aria-labelledby="cases">
          <h2 id="cases">{t("Cases")}</h2>
          {editor && (
            <p>
              <a class="button" href={`${path}/cases/new`} aria-current="false">{t("New case")}</a>
            </p>
          )}
          {cases.data.length === 0
            ? (
              <EmptyState
                icon="test_sets"
                title={t("No cases yet")}
                text={t(
                  "Write a case, import several, or add one from a conversation.",
                )}
              />
            )
            : <CaseList cases={cases.data} path={path} />}
          {(cursor !== undefined || cases.nextCursor) && (
            <nav class="pager" aria-label={t("Pages")}>
              {cursor !== undefined && (
                <a class="button" href={path} aria-current="false">{t("First cases")}</a>
              )}
              {cases.nextCursor && (
                <a
                  class="button"
                  href={`${path}?cursor=${encodeURIComponent(cases.nextCursor)}`}
                  aria-current="false"
                >
                  {t("More cases")}
                </a>
              )}
            </nav>
          )}
        </section>
        {editor && <ImportCasesForm action={path} sent={sent.lines} />}
      </div>
    </>
  );
});
