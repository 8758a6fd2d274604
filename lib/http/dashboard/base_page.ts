import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { AgentSearchResult } from "../../storage/agent_search.ts";
import type { Page } from "../../storage/page.ts";
import type { Document, KnowledgeBase } from "../../wire/knowledge.ts";
import type { NamedBase } from "./find_base.ts";
import { pageRequest } from "./page_request.ts";
import { isEditor, signedIn } from "./signed_in.ts";

const DOCUMENTS = 50;

/** One page of the documents of a base. Throws `ApiError` 400 for a cursor that is none. */
export function documentPage(ctx: Context<State>, { of }: NamedBase): Promise<Page<Document>> {
  const page = { ...pageRequest(ctx.url), limit: DOCUMENTS };
  return ctx.state.service.knowledge.listDocuments(of, page);
}

/** What the page of a knowledge base shows. */
export interface BasePageData {
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
export async function basePage(ctx: Context<State>, named: NamedBase): Promise<BasePageData> {
  const { service } = ctx.state;
  const { base, of } = named;
  const [{ data, nextCursor }, agents] = await Promise.all([
    documentPage(ctx, named),
    service.agents.usingKnowledgeBase(of.tenant, base.id),
  ]);
  return {
    base,
    documents: data,
    nextCursor,
    cursor: ctx.url.searchParams.get("cursor") ?? "",
    agents,
    now: service.system.now(),
    editor: isEditor(signedIn(ctx.state)),
  };
}
