import { SignInEndedError } from "@/lib/dashboard/access_errors.ts";
import type { Context } from "fresh";
import { BasePage } from "@/components/knowledge/BasePage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import {
  findKnowledgeBase,
  type FoundKnowledgeBase,
  listDocumentsPage,
  loadKnowledgeBasePage,
} from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { receiveUploads, rejectUpload } from "@/lib/http/bodies/receive_upload.ts";
import type { DocumentListData } from "@/islands/DocumentManager.tsx";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { translateMessage } from "@/lib/dashboard/texts/service_message.ts";

/** The documents for the page's script, and the target of uploads. */
export const handler = define.handlers({
  async GET(ctx) {
    // The user navigated back to a submitted form.
    if (!wantsJson(ctx.req)) return ctx.redirect(`/knowledge/${ctx.params.id}`, 303);
    return await listForScript(ctx);
  },

  async POST(ctx) {
    return await (wantsJson(ctx.req) ? addByScript : addByForm)(ctx);
  },
});

const listForScript = jsonHandler(async (ctx) => {
  const { data: documents } = await listDocumentsPage(ctx, await requireBase(ctx));
  // Read after the documents: the script stops polling once none of them is processing.
  const { documentCount, chunkCount } = (await requireBase(ctx)).base;
  const now = ctx.state.service.runtime.now();
  return Response.json({ documents, documentCount, chunkCount, now } satisfies DocumentListData);
});

const addByScript = jsonHandler(async (ctx) => {
  const documents = await add(ctx, await requireBase(ctx));
  return Response.json({ documents }, { status: 201 });
});

/** A rejected upload shows on the form's page. */
async function addByForm(ctx: Context<State>): Promise<Response> {
  const found = await findKnowledgeBase(ctx);
  if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
  try {
    await add(ctx, found);
    return ctx.redirect(withFlashMessage(`/knowledge/${found.base.id}`, "documents_added"), 303);
  } catch (error) {
    if (!(error instanceof ApiError) || error instanceof SignInEndedError) throw error;
    const data = await loadKnowledgeBasePage(ctx, found);
    const { status, headers } = error;
    const issue = t("Not everything was added. {message}.", {
      message: translateMessage(error.message),
    });
    return await ctx.render(<BasePage {...data} issue={issue} />, { status, headers });
  }
}

async function add(ctx: Context<State>, { ref }: FoundKnowledgeBase) {
  const { service } = ctx.state;
  rejectUpload(ctx.req, service);
  const uploads = await receiveUploads(ctx.req, { ...service, tenant: ref.tenant });
  const documents = [];
  for (const upload of uploads) documents.push(await service.knowledge.addDocument(ref, upload));
  return documents;
}

async function requireBase(ctx: Context<State>): Promise<FoundKnowledgeBase> {
  const found = await findKnowledgeBase(ctx);
  if (found !== undefined) return found;
  throw new ApiError("not_found", t("This knowledge base was deleted."));
}

function wantsJson(req: Request): boolean {
  return req.headers.get("accept")?.includes("application/json") ?? false;
}
