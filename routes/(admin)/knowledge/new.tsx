import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { BaseForm } from "@/components/knowledge/BaseForm.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  EMPTY_KNOWLEDGE_BASE_FORM,
  type KnowledgeBaseFormIssues,
  type KnowledgeBaseFormValues,
  readKnowledgeBaseForm,
  saveKnowledgeBase,
  toKnowledgeBaseBody,
} from "@/lib/dashboard/knowledge/save_knowledge_base.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  values: KnowledgeBaseFormValues;
  issues: KnowledgeBaseFormIssues;
}

export const handler = define.handlers({
  async GET(ctx) {
    if (isEditor(signedIn(ctx.state))) {
      return page<Data>({ values: EMPTY_KNOWLEDGE_BASE_FORM, issues: {} });
    }
    return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
  },

  async POST(ctx) {
    const { knowledge, runtime } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const values = readKnowledgeBaseForm(await readForm(ctx.req, runtime));
    const saved = await saveKnowledgeBase(() =>
      knowledge.create(tenant, toKnowledgeBaseBody(values))
    );
    if ("issues" in saved) {
      return page<Data>({ values, issues: saved.issues }, { status: saved.status });
    }
    return ctx.redirect(withFlashMessage(`/knowledge/${saved.base.id}`, "base_created"), 303);
  },
});

export default define.page<typeof handler>(({ data }) => (
  <>
    <PageHeader
      title={t("New knowledge base")}
      titlePrefix={unsavedTitle(data.issues)}
      back={{ href: "/knowledge", label: t("Knowledge") }}
    />
    <div class="card narrow">
      <BaseForm {...data} action="/knowledge/new" submit={t("Create")} cancelHref="/knowledge" />
    </div>
  </>
));
