import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { AgentSearchResult } from "../../store/agents/agent_search.ts";
import type { Page } from "../../store/values/page.ts";
import type { Document, KnowledgeBase } from "../../schemas/knowledge.ts";
import type { FoundKnowledgeBase } from "./find_knowledge_base.ts";
import { pageRequestParams } from "../../http/request_params.ts";
import { isEditor, signedIn } from "../authorization.ts";

const DOCUMENTS_PER_PAGE = 50;

/** Loads a page of documents. Throws `ApiError` 400 for an invalid cursor. */
export function listDocumentsPage(
  ctx: Context<State>,
  { ref }: FoundKnowledgeBase,
): Promise<Page<Document>> {
  const page = { ...pageRequestParams(ctx.url), limit: DOCUMENTS_PER_PAGE };
  return ctx.state.service.knowledge.listDocuments(ref, page);
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

/** Loads the page of a knowledge base. Throws `ApiError` 400 for an invalid cursor. */
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
