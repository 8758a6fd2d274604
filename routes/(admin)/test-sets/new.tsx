import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { TestSetForm } from "@/components/test_sets/TestSetForm.tsx";
import { loadAgentChoices } from "@/lib/dashboard/agents/agent_names.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { loadModelGroups } from "@/lib/dashboard/models/model_groups.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import {
  EMPTY_TEST_SET,
  readTestSetForm,
  saveTestSet,
  testSetBody,
  type TestSetIssues,
  type TestSetValues,
} from "@/lib/dashboard/test_sets/test_set_form.ts";
import { isUuid, undefinedIfNotFound } from "@/lib/http/request_params.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  values: TestSetValues;
  issues: TestSetIssues;
  /** The run whose question becomes the first case. */
  runId: string | undefined;
}

export const handler = define.handlers({
  async GET(ctx) {
    if (!isEditor(signedIn(ctx.state))) {
      return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
    }
    const agentId = ctx.url.searchParams.get("agentId") ?? "";
    const values = { ...EMPTY_TEST_SET, ...isUuid(agentId) && { agentId } };
    const runId = ctx.url.searchParams.get("runId") ?? undefined;
    return page(await withChoices(ctx, { values, issues: {}, runId }));
  },

  async POST(ctx) {
    const { runtime, testCases, testSets } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const form = await readForm(ctx.req, runtime);
    const values = readTestSetForm(form);
    const runId = form.get("runId") ?? undefined;
    const body = testSetBody(values, { none: undefined });
    const saved = await saveTestSet(() => testSets.create(tenant, body));
    if ("issues" in saved) {
      const { issues, status } = saved;
      return page(await withChoices(ctx, { values, issues, runId }), { status });
    }
    const { id } = saved.set;
    if (runId !== undefined) {
      const added = await undefinedIfNotFound(() =>
        testCases.addFromRun({ tenant, id }, { runId })
      );
      const [caseId] = added?.ids ?? [];
      if (caseId !== undefined) {
        return ctx.redirect(
          withFlashMessage(`/test-sets/${id}/cases/${caseId}`, "case_added"),
          303,
        );
      }
    }
    return ctx.redirect(withFlashMessage(`/test-sets/${id}`, "test_set_created"), 303);
  },
});

async function withChoices(ctx: Context<State>, data: Data) {
  const { service } = ctx.state;
  const { tenant } = signedIn(ctx.state);
  const chosen = data.values.agentId;
  const { agents } = await loadAgentChoices(service.agents, { tenant, chosen });
  return { ...data, agents, models: await loadModelGroups(service, tenant) };
}

export default define.page<typeof handler>(({ data }) => (
  <>
    <PageHeader
      title={t("New test set")}
      titlePrefix={unsavedTitle({ ...data.issues })}
      back={{ href: "/test-sets", label: t("Test sets") }}
    />
    <div class="card narrow">
      <TestSetForm
        {...data}
        action="/test-sets/new"
        submit={t("Create")}
        cancelHref="/test-sets"
      />
    </div>
  </>
));
