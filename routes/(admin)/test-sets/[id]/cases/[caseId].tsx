import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { CaseForm } from "@/components/test_sets/CaseForm.tsx";
import { CaseList } from "@/components/test_sets/CaseList.tsx";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import {
  type CaseIssues,
  type CaseValues,
  caseValues,
  readCaseForm,
  saveCase,
  withBlankRows,
} from "@/lib/dashboard/test_sets/case_form.ts";
import { findTestSet } from "@/lib/dashboard/test_sets/find_test_set.ts";
import { undefinedIfNotFound, uuidParam } from "@/lib/http/request_params.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const data = await readPage(ctx);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(data);
  },

  async POST(ctx) {
    const data = await readPage(ctx);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { runtime, testCases } = ctx.state.service;
    const { set, found: { id } } = data;
    const name = { tenant: signedIn(ctx.state).tenant, set: set.id, id };
    const form = await readForm(ctx.req, runtime);
    const path = `/test-sets/${set.id}`;
    if (form.get("action") === "delete") {
      await undefinedIfNotFound(() => testCases.delete(name));
      return ctx.redirect(withFlashMessage(path, "case_deleted"), 303);
    }
    const values = readCaseForm(form);
    const rejected = await saveCase(values, (body) => testCases.replace(name, body));
    if (rejected !== undefined) {
      const { issues, status } = rejected;
      return page({ ...data, values: withBlankRows(values), issues }, { status });
    }
    return ctx.redirect(withFlashMessage(`${path}/cases/${id}`, "case_saved"), 303);
  },
});

async function readPage(ctx: Context<State>) {
  const user = signedIn(ctx.state);
  const set = await findTestSet(ctx);
  const found = set && await undefinedIfNotFound(() =>
    ctx.state.service.testCases
      .get({ tenant: user.tenant, set: set.id, id: uuidParam(ctx.params.caseId) })
  );
  if (set === undefined || found === undefined) return undefined;
  const values: CaseValues = caseValues(found);
  const issues: CaseIssues = { rows: {} };
  return { set, found, values, issues, editor: isEditor(user) };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { set, found, values, issues, editor } = data;
  const path = `/test-sets/${set.id}`;
  const { rows, ...fields } = issues;
  return (
    <>
      <PageHeader
        title={t("Case")}
        titlePrefix={unsavedTitle({ ...fields, ...rows })}
        back={{ href: path, label: set.name }}
      />
      <PageNotice notice={flashMessageOf(url)} />
      {editor
        ? <CaseForm action={url.pathname} {...{ values, issues }} cancelHref={path} isStored />
        : <CaseList cases={[found]} path={path} />}
    </>
  );
});
