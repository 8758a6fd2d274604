import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PastedTextForm } from "@/components/knowledge/PastedTextForm.tsx";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  findKnowledgeBase,
  type FoundKnowledgeBase,
} from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import {
  type PastedText,
  type PastedTextIssues,
  pastedTextIssues,
  readPastedText,
} from "@/lib/dashboard/knowledge/pasted_text.ts";
import { quotaMessage } from "@/lib/dashboard/quota_message.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { translateMessage } from "@/lib/dashboard/texts/service_message.ts";

interface Data extends FoundKnowledgeBase {
  values: PastedText;
  issues: PastedTextIssues;
}

/** Adds a document from text that is typed or pasted. */
export const handler = define.handlers({
  async GET(ctx) {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    if (!isEditor(signedIn(ctx.state))) {
      return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
    }
    return page<Data>({ ...found, values: { title: "", content: "" }, issues: {} });
  },

  async POST(ctx) {
    const { knowledge, runtime } = ctx.state.service;
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const values = readPastedText(await readForm(ctx.req, runtime));
    const issues = pastedTextIssues(values);
    if (Object.keys(issues).length > 0) {
      return page<Data>({ ...found, values, issues }, { status: 400 });
    }
    try {
      const bytes = new TextEncoder().encode(values.content);
      const upload = { title: values.title, mediaType: "text/markdown" as const, bytes };
      await knowledge.addDocument(found.ref, upload);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const form = quotaMessage(error) ?? translateMessage(error.message);
      return page<Data>({ ...found, values, issues: { form } }, { status: error.status });
    }
    return ctx.redirect(withFlashMessage(`/knowledge/${found.base.id}`, "documents_added"), 303);
  },
});

export default define.page<typeof handler>(({ data: { base, values, issues } }) => {
  const back = { href: `/knowledge/${base.id}`, label: base.name };
  return (
    <>
      <PageHeader title={t("New text document")} titlePrefix={unsavedTitle(issues)} back={back} />
      <div class="card narrow">
        <PastedTextForm
          action={`${back.href}/documents/text`}
          values={values}
          issues={issues}
          cancelHref={back.href}
        />
      </div>
    </>
  );
});
