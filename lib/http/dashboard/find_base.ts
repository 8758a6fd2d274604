import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../../errors.ts";
import type { Document, KnowledgeBase } from "../../wire/knowledge.ts";
import { signedIn } from "./signed_in.ts";
import { uuidParam } from "../uuid_param.ts";

/** What a route of a knowledge base names. */
export interface NamedBase {
  base: KnowledgeBase;
  /** How the service is asked about it. */
  of: { tenant: string; base: string };
}

/** A document of it. */
export interface NamedDocument {
  base: KnowledgeBase;
  document: Document;
  of: { tenant: string; base: string; id: string };
}

/** The knowledge base that the route's `id` names, if the signed-in user's tenant has it. */
export function findBase(ctx: Context<State>): Promise<NamedBase | undefined> {
  return unlessMissing(async () => {
    const { tenant } = signedIn(ctx.state);
    const base = await ctx.state.service.knowledge.get(tenant, uuidParam(ctx.params.id));
    return { base, of: { tenant, base: base.id } };
  });
}

/** The document that `id` and `documentId` of the route name. */
export function findDocument(ctx: Context<State>): Promise<NamedDocument | undefined> {
  return unlessMissing(async () => {
    const found = await findBase(ctx);
    if (found === undefined) return undefined;
    const of = { ...found.of, id: uuidParam(ctx.params.documentId) };
    const document = await ctx.state.service.knowledge.getDocument(of);
    return { base: found.base, document, of };
  });
}

async function unlessMissing<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return undefined;
    throw error;
  }
}
