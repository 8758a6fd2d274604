import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Document, KnowledgeBase } from "../../schemas/knowledge.ts";
import { signedIn } from "../authorization.ts";
import { undefinedIfNotFound, uuidParam } from "../../http/request_params.ts";

export interface FoundKnowledgeBase {
  base: KnowledgeBase;
  /** Identifies it to the service. */
  ref: { tenant: string; base: string };
}

export interface FoundDocument {
  base: KnowledgeBase;
  document: Document;
  ref: { tenant: string; base: string; id: string };
}

/** The knowledge base named by the route's `id`, if the signed-in user's tenant has it. */
export function findKnowledgeBase(ctx: Context<State>): Promise<FoundKnowledgeBase | undefined> {
  return undefinedIfNotFound(async () => {
    const { tenant } = signedIn(ctx.state);
    const base = await ctx.state.service.knowledge.get(tenant, uuidParam(ctx.params.id));
    return { base, ref: { tenant, base: base.id } };
  });
}

/** The document named by the route's `id` and `documentId`. */
export function findDocument(ctx: Context<State>): Promise<FoundDocument | undefined> {
  return undefinedIfNotFound(async () => {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return undefined;
    const ref = { ...found.ref, id: uuidParam(ctx.params.documentId) };
    const document = await ctx.state.service.knowledge.getDocument(ref);
    return { base: found.base, document, ref };
  });
}
