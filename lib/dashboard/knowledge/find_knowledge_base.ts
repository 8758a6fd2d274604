import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { Document, KnowledgeBase } from "../../schemas/knowledge.ts";
import { signedIn } from "../permissions.ts";
import { uuidParam } from "../../http/request_params.ts";

/** What a route of a knowledge base names. */
export interface FoundKnowledgeBase {
  base: KnowledgeBase;
  /** How the service is asked about it. */
  ref: { tenant: string; base: string };
}

/** A document of it. */
export interface FoundDocument {
  base: KnowledgeBase;
  document: Document;
  ref: { tenant: string; base: string; id: string };
}

/** The knowledge base that the route's `id` names, if the signed-in user's tenant has it. */
export function findKnowledgeBase(ctx: Context<State>): Promise<FoundKnowledgeBase | undefined> {
  return undefinedIfNotFound(async () => {
    const { tenant } = signedIn(ctx.state);
    const base = await ctx.state.service.knowledge.get(tenant, uuidParam(ctx.params.id));
    return { base, ref: { tenant, base: base.id } };
  });
}

/** The document that `id` and `documentId` of the route name. */
export function findDocument(ctx: Context<State>): Promise<FoundDocument | undefined> {
  return undefinedIfNotFound(async () => {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return undefined;
    const ref = { ...found.ref, id: uuidParam(ctx.params.documentId) };
    const document = await ctx.state.service.knowledge.getDocument(ref);
    return { base: found.base, document, ref };
  });
}

async function undefinedIfNotFound<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return undefined;
    throw error;
  }
}
