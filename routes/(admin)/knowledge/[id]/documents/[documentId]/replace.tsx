import { SignInEndedError } from "@/lib/dashboard/access_errors.ts";
import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { Notice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { ACCEPTED_FILE_TYPES } from "@/lib/dashboard/browser/upload_files.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { findDocument, type FoundDocument } from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { receiveUpload, rejectUpload } from "@/lib/http/bodies/receive_upload.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { translateMessage } from "@/lib/dashboard/texts/service_message.ts";

interface Data extends FoundDocument {
  issue?: string;
}

/** Replaces a document's file under the same id. */
export const handler = define.handlers({
  async GET(ctx) {
    const found = await findDocument(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    if (isEditor(signedIn(ctx.state))) return page<Data>(found);
    return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const found = await findDocument(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    try {
      rejectUpload(ctx.req, service);
      const { ref } = found;
      const upload = await receiveUpload(ctx.req, { ...service, tenant: ref.tenant });
      await service.knowledge.replaceDocument(ref, upload);
    } catch (error) {
      if (!(error instanceof ApiError) || error instanceof SignInEndedError) throw error;
      const issue = t("The document was not replaced. {message}.", {
        message: translateMessage(error.message),
      });
      return page<Data>({ ...found, issue }, { status: error.status });
    }
    return ctx.redirect(withFlashMessage(`/knowledge/${found.base.id}`, "document_replaced"), 303);
  },
});

export default define.page<typeof handler>(({ data: { base, document, issue } }) => {
  const back = { href: `/knowledge/${base.id}`, label: base.name };
  return (
    <>
      <PageHeader
        title={t("Replace document")}
        titlePrefix={issue && t("Not replaced")}
        back={back}
      />
      <form
        method="post"
        action={`${back.href}/documents/${document.id}/replace`}
        encType="multipart/form-data"
        class="card narrow stack"
      >
        {issue && <Notice kind="error" focused>{issue}</Notice>}
        <div class="field">
          <label for="file">{t("New file for “{title}”", { title: document.title })}</label>
          <input
            type="file"
            id="file"
            name="file"
            required
            accept={ACCEPTED_FILE_TYPES}
            aria-describedby="file-help"
          />
          <p class="help" id="file-help">
            {t(
              "PDF, Office documents, EPUB, CSV, HTML, Markdown or text, up to 20 MiB. The old version stays searchable until the new one is processed.",
            )}
          </p>
        </div>
        <div class="form-actions">
          <button class="button button-primary" type="submit">{t("Replace document")}</button>
          <a class="button" href={back.href} aria-current="false">{t("Cancel")}</a>
        </div>
      </form>
    </>
  );
});
