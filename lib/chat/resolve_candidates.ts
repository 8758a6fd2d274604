import { type ModelAccess, type ModelName, notInPlan } from "../admin/model_access.ts";
import type { KvReader } from "../committer/view.ts";
import { invalid } from "../errors.ts";
import type { CatalogueEntry } from "../storage/catalogue_store.ts";
import type { Agent } from "../wire/agent.ts";
import type { ChatBody } from "../wire/chat.ts";

/** Output tokens where neither agent nor call says. */
const DEFAULT_OUTPUT_TOKENS = 4096;

export interface ResolvedPolicy {
  /** Who is asked, in order; the first is the agent's or the call's choice. */
  entries: CatalogueEntry[];
  maxOutputTokens: number;
  temperature?: number;
}

/**
 * What the agent's policy and the call's overrides come to, within the tenant's plan. A visitor (a
 * widget session) may not choose a dearer model than the agent's own, nor more output.
 */
export async function resolveCandidates(
  options: {
    tenant: string;
    agent: Agent;
    body: ChatBody;
    visitor: boolean;
    models: ModelAccess;
    reader?: KvReader | undefined;
  },
): Promise<ResolvedPolicy> {
  const { agent, body, models, tenant, reader } = options;
  const policy = agent.modelPolicy;
  const chosen: ModelName = {
    provider: body.provider ?? policy.provider,
    model: body.model ?? policy.model,
  };
  const primary = await models.find(tenant, chosen, reader);
  if (primary === undefined) throw invalid([notInPlan(chosen, body.model ? "model" : "provider")]);
  const spare = agent.fallback && await models.find(tenant, agent.fallback, reader);
  if (options.visitor && (body.model !== undefined || body.provider !== undefined)) {
    const own = await models.find(tenant, policy, reader);
    refuseDearer(primary, [own, spare].filter((entry) => entry !== undefined));
  }
  const temperature = body.temperature ?? policy.temperature;
  return {
    entries: spare ? [primary, spare] : [primary],
    maxOutputTokens: outputLimit(options, primary),
    ...(temperature === undefined ? {} : { temperature }),
  };
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

function refuseDearer(chosen: CatalogueEntry, own: CatalogueEntry[]): void {
  const affordable = own.some((entry) =>
    chosen.inputUsdPerMTok <= entry.inputUsdPerMTok &&
    chosen.outputUsdPerMTok <= entry.outputUsdPerMTok
  );
  if (affordable) return;
  const message = "costs more than the agent's own model, which a visitor may not choose";
  throw invalid([{ path: "model", code: "model_too_dear", message }]);
}
