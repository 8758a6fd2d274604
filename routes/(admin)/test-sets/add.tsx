import { ErrorView } from "@/components/ErrorView.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { isUuid, undefinedIfNotFound } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/** Makes a case of an answer. */
export const handler = define.handlers({
  async POST(ctx) {
    const { runtime, testCases } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const form = await readForm(ctx.req, runtime);
    const [id, runId] = [form.get("set") ?? "", form.get("runId") ?? ""];
    const added = isUuid(id) && isUuid(runId)
      ? await undefinedIfNotFound(() => testCases.addFromRun({ tenant, id }, { runId }))
      : undefined;
    const [caseId] = added?.ids ?? [];
    if (caseId === undefined) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    return ctx.redirect(withFlashMessage(`/test-sets/${id}/cases/${caseId}`, "case_added"), 303);
  },
});
