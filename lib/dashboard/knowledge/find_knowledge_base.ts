import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Document, KnowledgeBase } from "../../schemas/knowledge.ts";
import { signedIn } from "../permissions.ts";
import { undefinedIfNotFound, uuidParam } from "../../http/request_params.ts";

export interface FoundKnowledgeBase {
  base: KnowledgeBase;
  ref: { tenant: string; base: string };
}

export type FoundDocument = FoundKnowledgeBase & { document: Document; ref: { id: string } };

/** The knowledge base named by the route's `id`, if the signed-in user's tenant has it. */
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
