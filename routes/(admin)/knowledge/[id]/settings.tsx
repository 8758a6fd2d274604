import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { BaseForm } from "@/components/knowledge/BaseForm.tsx";
import { BaseHeader } from "@/components/knowledge/BaseHeader.tsx";
import { findKnowledgeBase } from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  type KnowledgeBaseFormIssues,
  type KnowledgeBaseFormValues,
  readKnowledgeBaseForm,
  saveKnowledgeBase,
  toKnowledgeBasePatch,
} from "@/lib/dashboard/knowledge/save_knowledge_base.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import type { KnowledgeBase } from "@/lib/schemas/knowledge.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  base: KnowledgeBase;
  values: KnowledgeBaseFormValues;
  issues: KnowledgeBaseFormIssues;
}

export const handler = define.handlers({
  async GET(ctx) {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    if (!isEditor(signedIn(ctx.state))) {
      return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
    }
    const { name, description = "", language = "" } = found.base;
    const values = { name, description, language };
    return page<Data>({ base: found.base, values, issues: {} });
  },

  async POST(ctx) {
    const { knowledge, runtime } = ctx.state.service;
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { base, ref } = found;
    const values = readKnowledgeBaseForm(await readForm(ctx.req, runtime));
    const saved = await saveKnowledgeBase(() =>
      knowledge.patch(ref.tenant, base.id, { patch: toKnowledgeBasePatch(values) })
    );
    if ("issues" in saved) {
      return page<Data>({ base, values, issues: saved.issues }, { status: saved.status });
    }
    return ctx.redirect(withFlashMessage(`/knowledge/${base.id}/settings`, "base_saved"), 303);
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { base, values, issues } = data;
  const path = `/knowledge/${base.id}`;
  return (
    <>
      <BaseHeader base={base} tab="settings" editor titlePrefix={unsavedTitle(issues)} />
      <PageNotice notice={flashMessageOf(url)} />
      <div class="stack narrow">
        <section class="card">
          <BaseForm
            action={`${path}/settings`}
            submit={t("Save changes")}
            values={values}
            issues={issues}
            cancelHref={path}
          />
        </section>
        <section class="card stack">
          <h2>{t("Delete this knowledge base")}</h2>
          <p class="prose">
            {t("Deletes all its documents. Agents that use it no longer find anything.")}
          </p>
          <div class="form-actions">
            <a class="button" href={`${path}/delete`} aria-current="false">{t("Delete…")}</a>
          </div>
        </section>
      </div>
    </>
  );
});
