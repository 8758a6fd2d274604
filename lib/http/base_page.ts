import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Agent } from "../wire/agent.ts";
import type { Document, KnowledgeBase } from "../wire/knowledge.ts";
import type { NamedBase } from "./find_base.ts";
import { pageRequest } from "./page_request.ts";
import { isEditor, signedIn } from "./signed_in.ts";

const DOCUMENTS = 50;

/** What the page of a knowledge base shows. */
export interface BasePageData {
  base: KnowledgeBase;
  documents: Document[];
  nextCursor?: string | undefined;
  /** Names the page of the documents: empty on the first. */
  cursor: string;
  agents: Agent[];
  now: number;
  editor: boolean;
}

/** Throws `ApiError` 400 for a cursor that is none. */
export async function basePage(
  ctx: Context<State>,
  { base, of }: NamedBase,
): Promise<BasePageData> {
  const { service } = ctx.state;
  const [{ data, nextCursor }, agents] = await Promise.all([
    service.knowledge.listDocuments(of, { ...pageRequest(ctx.url), limit: DOCUMENTS }),
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
