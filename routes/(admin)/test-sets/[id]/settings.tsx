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
import { findTestSet } from "@/lib/dashboard/test_sets/find_test_set.ts";
import {
  readTestSetForm,
  saveTestSet,
  testSetBody,
  type TestSetIssues,
  type TestSetValues,
  testSetValues,
} from "@/lib/dashboard/test_sets/test_set_form.ts";
import type { TestSet } from "@/lib/schemas/test_set.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  set: TestSet;
  values: TestSetValues;
  issues: TestSetIssues;
}

export const handler = define.handlers({
  async GET(ctx) {
    const set = await findTestSet(ctx);
    if (set === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    if (!isEditor(signedIn(ctx.state))) {
      return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
    }
    return page(await withChoices(ctx, { set, values: testSetValues(set), issues: {} }));
  },

  async POST(ctx) {
    const set = await findTestSet(ctx);
    if (set === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { runtime, testSets } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const values = readTestSetForm(await readForm(ctx.req, runtime));
    const patch = testSetBody(values, { none: null });
    const saved = await saveTestSet(() => testSets.patch({ tenant, id: set.id }, { patch }));
    if ("issues" in saved) {
      const { issues, status } = saved;
      return page(await withChoices(ctx, { set, values, issues }), { status });
    }
    return ctx.redirect(withFlashMessage(`/test-sets/${set.id}`, "test_set_saved"), 303);
  },
});

async function withChoices(ctx: Context<State>, data: Data) {
  const { service } = ctx.state;
  const { tenant } = signedIn(ctx.state);
  const chosen = data.values.agentId;
  const { agents } = await loadAgentChoices(service.agents, { tenant, chosen });
  return { ...data, agents, models: await loadModelGroups(service, tenant) };
}

export default define.page<typeof handler>(({ data }) => {
  const { set, issues } = data;
  const path = `/test-sets/${set.id}`;
  return (
    <>
      <PageHeader
        title={t("Settings of the test set")}
        titlePrefix={unsavedTitle({ ...issues })}
        back={{ href: path, label: set.name }}
      />
      <div class="card narrow">
        <TestSetForm {...data} action={`${path}/settings`} submit={t("Save")} cancelHref={path} />
      </div>
      <p>
        <a href={`${path}/delete`} aria-current="false">{t("Delete test set")}</a>
      </p>
    </>
  );
});
