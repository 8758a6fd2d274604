import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { AgentSearchResult } from "../../store/agents/agent_search.ts";
import type { Page } from "../../store/values/page.ts";
import type { Document, KnowledgeBase } from "../../schemas/knowledge.ts";
import type { FoundKnowledgeBase } from "./find_knowledge_base.ts";
import { pageRequestParams } from "../../http/request_params.ts";
import { isEditor, signedIn } from "../permissions.ts";

const DOCUMENTS_PER_PAGE = 50;

/** One page of the documents of a base. Throws `ApiError` 400 for a cursor that is none. */
export function listDocumentsPage(
  ctx: Context<State>,
  { ref }: FoundKnowledgeBase,
): Promise<Page<Document>> {
  const page = { ...pageRequestParams(ctx.url), limit: DOCUMENTS_PER_PAGE };
  return ctx.state.service.knowledge.listDocuments(ref, page);
}

/** What the page of a knowledge base shows. */
export interface KnowledgeBasePageData {
  base: KnowledgeBase;
  documents: Document[];
  nextCursor?: string | undefined;
  /** Names the page of the documents: empty on the first. */
  cursor: string;
  agents: AgentSearchResult;
  now: number;
  editor: boolean;
}

/** Throws `ApiError` 400 for a cursor that is none. */
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
