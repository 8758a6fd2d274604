import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { notSaved } from "@/components/FaultyFields.tsx";
import { PageNotice } from "@/components/PageNotice.tsx";
import { BaseForm } from "@/components/knowledge/BaseForm.tsx";
import { BaseHeader } from "@/components/knowledge/BaseHeader.tsx";
import { findBase } from "@/lib/http/dashboard/find_base.ts";
import { readForm } from "@/lib/http/dashboard/form.ts";
import { noticeAt, withNotice } from "@/lib/http/dashboard/notices.ts";
import {
  type BaseFormFaults,
  type BaseFormValues,
  readBaseForm,
  saveBase,
  toBasePatch,
} from "@/lib/http/save_base.ts";
import { isEditor, signedIn } from "@/lib/http/dashboard/signed_in.ts";
import type { KnowledgeBase } from "@/lib/wire/knowledge.ts";
import { define } from "@/utils.ts";

interface Data {
  base: KnowledgeBase;
  values: BaseFormValues;
  faults: BaseFormFaults;
}

export const handler = define.handlers({
  async GET(ctx) {
    const found = await findBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    if (!isEditor(signedIn(ctx.state))) {
      return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
    }
    const { name, description = "", language = "" } = found.base;
    const values = { name, description, language };
    return page<Data>({ base: found.base, values, faults: {} });
  },

  async POST(ctx) {
    const { knowledge, system } = ctx.state.service;
    const found = await findBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { base, of } = found;
    const values = readBaseForm(await readForm(ctx.req, system));
    const saved = await saveBase(() => knowledge.patch(of.tenant, base.id, toBasePatch(values)));
    if ("faults" in saved) {
      return page<Data>({ base, values, faults: saved.faults }, { status: saved.status });
    }
    return ctx.redirect(withNotice(`/knowledge/${base.id}/settings`, "base_saved"), 303);
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { base, values, faults } = data;
  const path = `/knowledge/${base.id}`;
  return (
    <>
      <BaseHeader base={base} tab="settings" editor refused={notSaved(faults)} />
      <PageNotice notice={noticeAt(url)} />
      <div class="stack narrow">
        <section class="card">
          <BaseForm
            action={`${path}/settings`}
            submit="Save changes"
            values={values}
            faults={faults}
            cancelHref={path}
          />
        </section>
        <section class="card stack">
          <h2>Delete this knowledge base</h2>
          <p class="prose">Its documents go with it, and agents that use it find nothing more.</p>
          <div class="form-actions">
            <a class="button" href={`${path}/delete`} aria-current="false">Delete…</a>
          </div>
        </section>
      </div>
    </>
  );
});
