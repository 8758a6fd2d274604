import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { CaseForm } from "@/components/test_sets/CaseForm.tsx";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import {
  type CaseIssues,
  type CaseValues,
  EMPTY_CASE,
  readCaseForm,
  saveCase,
  withBlankRows,
} from "@/lib/dashboard/test_sets/case_form.ts";
import { findTestSet } from "@/lib/dashboard/test_sets/find_test_set.ts";
import type { TestSet } from "@/lib/schemas/test_set.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  set: TestSet;
  values: CaseValues;
  issues: CaseIssues;
}

export const handler = define.handlers({
  async GET(ctx) {
    const set = await findTestSet(ctx);
    if (set === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    if (isEditor(signedIn(ctx.state))) {
      return page<Data>({ set, values: EMPTY_CASE, issues: { rows: {} } });
    }
    return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
  },

  async POST(ctx) {
    const set = await findTestSet(ctx);
    if (set === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { runtime, testCases } = ctx.state.service;
    const name = { tenant: signedIn(ctx.state).tenant, id: set.id };
    const values = readCaseForm(await readForm(ctx.req, runtime));
    const rejected = await saveCase(values, (body) => testCases.add(name, { cases: [body] }));
    if (rejected !== undefined) {
      const { issues, status } = rejected;
      return page<Data>({ set, values: withBlankRows(values), issues }, { status });
    }
    return ctx.redirect(withFlashMessage(`/test-sets/${set.id}`, "cases_added"), 303);
  },
});

export default define.page<typeof handler>(({ data: { set, values, issues } }) => {
  const path = `/test-sets/${set.id}`;
  const { rows, ...fields } = issues;
  return (
    <>
      <PageHeader
        title={t("New case")}
        titlePrefix={unsavedTitle({ ...fields, ...rows })}
        back={{ href: path, label: set.name }}
      />
      <CaseForm
        action={`${path}/cases/new`}
        {...{ values, issues }}
        cancelHref={path}
        isStored={false}
      />
    </>
  );
});
