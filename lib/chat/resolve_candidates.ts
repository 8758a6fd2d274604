import { type ModelAccess, type ModelName, modelNotInPlan } from "../billing/model_access.ts";
import type { ContextWindow } from "../agent/context_window.ts";
import type { KvReader } from "../store/tx/read_transaction.ts";
import { validationError } from "../schemas/api_error.ts";
import type { CatalogueEntry } from "../store/providers/catalogue_store.ts";
import type { Agent } from "../schemas/agent.ts";
import type { ChatBody } from "../schemas/chat.ts";

/** Output tokens where neither agent nor call says. */
const DEFAULT_OUTPUT_TOKENS = 4096;

export interface ResolvedPolicy {
  /** Who is asked, in order; the first is the agent's or the call's choice. */
  entries: CatalogueEntry[];
  maxOutputTokens: number;
  temperature?: number;
}

/** What every one of them can take: a fallback is told what the first would have been. */
export function contextWindow({ entries, maxOutputTokens }: ResolvedPolicy): ContextWindow {
  const contextTokens = Math.min(...entries.map((entry) => entry.contextTokens));
  return { contextTokens, maxOutputTokens: maxOutputTokens };
}

interface ResolveOptions {
  tenant: string;
  agent: Agent;
  body: ChatBody;
  visitor: boolean;
  models: ModelAccess;
  reader?: KvReader | undefined;
}

/**
 * What the agent's policy and the call's overrides come to, within the tenant's plan. What a visitor (a
 * widget session) may choose is the plan's to say; never more output than the agent's own.
 */
export async function resolveCandidates(options: ResolveOptions): Promise<ResolvedPolicy> {
  const { agent, body, models, tenant, reader } = options;
  const allowed = await allowedOverrides(options);
  const policy = agent.modelPolicy;
  const chosen: ModelName = {
    provider: body.provider ?? policy.provider,
    model: body.model ?? policy.model,
  };
  const primary = await models.find(tenant, chosen, reader);
  if (primary === undefined) {
    throw validationError([modelNotInPlan(chosen, body.model ? "model" : "provider")]);
  }
  const spare = agent.fallback && await models.find(tenant, agent.fallback, reader);
  if (allowed === "not_dearer" && (body.model !== undefined || body.provider !== undefined)) {
    const own = await models.find(tenant, policy, reader);
    rejectMoreExpensive(primary, [own, spare].filter((entry) => entry !== undefined));
  }
  const temperature = body.temperature ?? policy.temperature;
  return {
    // Chosen by the call, the fallback is not asked twice.
    entries: spare && !isSame(spare, primary) ? [primary, spare] : [primary],
    maxOutputTokens: outputLimit(options, primary),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

function isSame(one: CatalogueEntry, other: CatalogueEntry): boolean {
  return one.vendor === other.vendor && one.model === other.model;
}

const OVERRIDES = ["model", "provider", "temperature", "maxOutputTokens"] as const;

/** What the call may override; throws where it overrides and may not at all. */
async function allowedOverrides(
  { tenant, body, visitor, models, reader }: ResolveOptions,
): Promise<"all" | "not_dearer"> {
  const given = OVERRIDES.filter((field) => body[field] !== undefined);
  if (!visitor || given.length === 0) return "all";
  const allowed = await models.visitorOverrides(tenant, reader);
  if (allowed !== "none") return allowed;
  const message = "may not be chosen by a visitor of this agent";
  throw validationError(given.map((path) => ({ path, code: "override_not_allowed", message })));
}

function outputLimit(
  { agent, body, visitor }: { agent: Agent; body: ChatBody; visitor: boolean },
  entry: CatalogueEntry,
): number {
  const own = agent.modelPolicy.maxOutputTokens ??
    Math.min(DEFAULT_OUTPUT_TOKENS, entry.maxOutputTokens);
  const asked = body.maxOutputTokens ?? own;
  return Math.min(visitor ? Math.min(asked, own) : asked, entry.maxOutputTokens);
}

function rejectMoreExpensive(chosen: CatalogueEntry, own: CatalogueEntry[]): void {
  const affordable = own.some((entry) =>
    chosen.inputUsdPerMTok <= entry.inputUsdPerMTok &&
    chosen.outputUsdPerMTok <= entry.outputUsdPerMTok
  );
  if (affordable) return;
  const message = "costs more than the agent's own model, which a visitor may not choose";
  throw validationError([{ path: "model", code: "model_too_dear", message }]);
}
