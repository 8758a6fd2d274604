import { highestPrice } from "../../schemas/token_cost.ts";
import { type ModelAccess, type ModelName, modelNotInPlan } from "../../billing/model_access.ts";
import type { StepSettings } from "../../agent/agent_run_options.ts";
import type { ContextWindow } from "../../agent/context_window.ts";
import type { KvReader } from "../../store/tx/read_transaction.ts";
import { validationError } from "../../schemas/api_error.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { ChatBody } from "../../schemas/chat.ts";

/** Used if neither the agent nor the request sets a limit. */
const DEFAULT_OUTPUT_TOKENS = 4096;

export interface ResolvedPolicy {
  /** The models to try, in order; the first is the agent's or the request's choice. */
  entries: CatalogueEntry[];
  maxOutputTokens: number;
  settings: ModelSettings;
}

/** What the model is asked with, for every step of a run. */
export type ModelSettings = Pick<
  StepSettings,
  "temperature" | "topP" | "stopSequences" | "reasoningEffort" | "responseSchema"
>;

/**
 * The smallest window of all candidates, because a fallback gets the same prompt. Its head is kept if
 * the first model reads from its provider's cache at a lower price.
 */
export function contextWindow({ entries, maxOutputTokens }: ResolvedPolicy): ContextWindow {
  const contextTokens = Math.min(...entries.map((entry) => entry.contextTokens));
  const { inputUsdPerMTok, cacheReadUsdPerMTok = inputUsdPerMTok } = entries[0]!;
  const keepsHead = cacheReadUsdPerMTok < inputUsdPerMTok;
  return { contextTokens, maxOutputTokens, ...keepsHead && { keepsHead } };
}

export function findEntry<T extends Pick<CatalogueEntry, "vendor" | "model">>(
  entries: readonly T[],
  { provider, model }: ModelName,
): T | undefined {
  return entries.find((entry) => entry.vendor === provider && entry.model === model);
}

interface ResolveOptions {
  tenant: string;
  agent: Agent;
  body: ChatBody;
  visitor: boolean;
  access: ModelAccess;
  reader?: KvReader | undefined;
}

/**
 * Combines the agent's policy with the request's overrides, within the tenant's plan. The plan decides
 * what a visitor (a widget session) may override, but never for more output than the agent allows.
 */
export async function resolveCandidates(options: ResolveOptions): Promise<ResolvedPolicy> {
  const { agent, body, access, tenant, reader } = options;
  const allowed = await allowedOverrides(options);
  const policy = agent.modelPolicy;
  const chosen: ModelName = {
    provider: body.provider ?? policy.provider,
    model: body.model ?? policy.model,
  };
  const primary = await access.find(tenant, chosen, reader);
  if (primary === undefined) {
    throw validationError([modelNotInPlan(chosen, body.model ? "model" : "provider")]);
  }
  const fallback = agent.fallback && await access.find(tenant, agent.fallback, reader);
  if (allowed === "not_dearer" && (body.model !== undefined || body.provider !== undefined)) {
    const own = await access.find(tenant, policy, reader);
    rejectMoreExpensive(primary, [own, fallback].filter((entry) => entry !== undefined));
  }
  return {
    // A request may choose the fallback itself: do not try it twice.
    entries: fallback && !isSame(fallback, primary) ? [primary, fallback] : [primary],
    maxOutputTokens: outputLimit(options, primary),
    settings: settingsOf(agent, body),
  };
}

function settingsOf(
  { modelPolicy: policy, responseSchema }: Agent,
  body: ChatBody,
): ModelSettings {
  const { topP, stopSequences, reasoningEffort } = policy;
  const temperature = body.temperature ?? policy.temperature;
  return {
    ...temperature !== undefined && { temperature },
    ...topP !== undefined && { topP },
    ...stopSequences !== undefined && { stopSequences },
    ...reasoningEffort !== undefined && { reasoningEffort },
    ...responseSchema !== undefined && { responseSchema },
  };
}

function isSame(one: CatalogueEntry, other: CatalogueEntry): boolean {
  return one.vendor === other.vendor && one.model === other.model;
}

const OVERRIDES = ["model", "provider", "temperature", "maxOutputTokens"] as const;

/** The overrides that are allowed; throws if the request has any and none is. */
async function allowedOverrides(
  { tenant, body, visitor, access, reader }: ResolveOptions,
): Promise<"all" | "not_dearer"> {
  const given = OVERRIDES.filter((field) => body[field] !== undefined);
  if (!visitor || given.length === 0) return "all";
  const allowed = await access.visitorOverrides(tenant, reader);
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
  const requested = body.maxOutputTokens ?? own;
  return Math.min(visitor ? Math.min(requested, own) : requested, entry.maxOutputTokens);
}

function rejectMoreExpensive(chosen: CatalogueEntry, own: CatalogueEntry[]): void {
  const price = highestPrice(chosen);
  const affordable = own.map(highestPrice).some((entry) =>
    price.inputUsdPerMTok <= entry.inputUsdPerMTok &&
    price.outputUsdPerMTok <= entry.outputUsdPerMTok
  );
  if (affordable) return;
  const message = "costs more than the agent's own model, which a visitor may not choose";
  throw validationError([{ path: "model", code: "model_too_dear", message }]);
}
