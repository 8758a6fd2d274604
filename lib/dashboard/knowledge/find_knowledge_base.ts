import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Document, KnowledgeBase } from "../../schemas/knowledge.ts";
import { isEditor, signedIn } from "../authorization.ts";
import { pageRequestParams, undefinedIfNotFound, uuidParam } from "../../http/request_params.ts";
import type { AgentSearchResult } from "../../store/agents/agent_search.ts";
import type { Page } from "../../store/values/page.ts";
import { translateMessage } from "../texts/service_message.ts";

export type FoundKnowledgeBase = { base: KnowledgeBase; ref: { tenant: string; base: string } };

export type FoundDocument = FoundKnowledgeBase & { document: Document; ref: { id: string } };

export function findKnowledgeBase(ctx: Context<State>): Promise<FoundKnowledgeBase | undefined> {
  return undefinedIfNotFound(async () => {
    const { tenant } = signedIn(ctx.state);
    const base = await ctx.state.service.knowledge.get(tenant, uuidParam(ctx.params.id));
    return { base, ref: { tenant, base: base.id } };
  });
}

export function findDocument(ctx: Context<State>): Promise<FoundDocument | undefined> {
  return undefinedIfNotFound(async () => {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return undefined;
    const ref = { ...found.ref, id: uuidParam(ctx.params.documentId) };
    const document = await ctx.state.service.knowledge.getDocument(ref);
    return { base: found.base, document, ref };
  });
}

const DOCUMENTS_PER_PAGE = 50;

/** Loads a page of documents. Throws `ApiError` 400 for an invalid cursor. */
/** A page of documents; why one could not be read is in the page's language. */
export async function listDocumentsPage(
  ctx: Context<State>,
  { ref }: FoundKnowledgeBase,
): Promise<Page<Document>> {
  const page = { ...pageRequestParams(ctx.url), limit: DOCUMENTS_PER_PAGE };
  const { data, ...rest } = await ctx.state.service.knowledge.listDocuments(ref, page);
  const documents = data.map((document) =>
    document.error === undefined ? document : {
      ...document,
      error: { ...document.error, message: translateMessage(document.error.message) },
    }
  );
  return { ...rest, data: documents };
}

export interface KnowledgeBasePageData {
  base: KnowledgeBase;
  documents: Document[];
  nextCursor?: string | undefined;
  /** The cursor of this page of documents; empty on the first. */
  cursor: string;
  agents: AgentSearchResult;
  now: number;
  editor: boolean;
}

export async function loadKnowledgeBasePage(
  ctx: Context<State>,
  named: FoundKnowledgeBase,
): Promise<KnowledgeBasePageData> {
  const { service } = ctx.state;
  const { base, ref } = named;
  const [{ data, nextCursor }, agents] = await Promise.all([
    listDocumentsPage(ctx, named),
    service.agents.usingKnowledgeBase(ref.tenant, base.id),
  ]);
  return {
    base,
    documents: data,
    nextCursor,
    cursor: ctx.url.searchParams.get("cursor") ?? "",
    agents,
    now: service.runtime.now(),
    editor: isEditor(signedIn(ctx.state)),
  };
}
