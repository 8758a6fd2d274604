import { z } from "zod";
import { PROVIDER_IDS } from "../../schemas/provider_id.ts";
import type { ChatProtocol } from "../../schemas/chat_protocol.ts";
import { keys } from "../keys/keys.ts";
import type { Transaction } from "../tx/operation.ts";
import { addCanaryRun, canarySumsSchema } from "./canary_sums.ts";
import { sumTokenParts, tokenPartsSchema } from "./token_parts.ts";
import { isFailed, type RunFacts, type RunRecord } from "./run_record.ts";

/** What a run adds to the row of one model. */
export interface ModelUsageShare extends Usage, Pick<RunRecord, "provider" | "model"> {}

/**
 * A run's usage by model. The run counts once, for the model that its `start` named. The shares add up to
 * the exact charge, even if a limit reduced it below their cost.
 */
export function usageShares(run: RunRecord): readonly ModelUsageShare[] {
  const failed = isFailed(run.finishReason) ? 1 : 0;
  if (run.models === undefined) return [{ ...run, runs: 1, failed }];
  let left = run.cost;
  const shares = run.models.map((share) => {
    const cost = Math.min(share.cost, left);
    left -= cost;
    const runs = isOf(run, share) ? 1 : 0;
    return { ...share, cost, runs, failed: failed * runs };
  });
  if (left === 0 && shares.some(({ runs }) => runs === 1)) return shares;
  const { provider, model } = run;
  const runs = shares.some((share) => share.runs === 1) ? 0 : 1;
  const rest = { runs, failed: failed * runs, inputTokens: 0, outputTokens: 0, cost: left };
  return [...shares, { provider, model, ...rest }];
}

function isOf(run: RunRecord, share: Pick<RunRecord, "provider" | "model">): boolean {
  return run.provider === share.provider && run.model === share.model;
}

/** Usage can be read for a year; a row is stored for a month longer. */
export const USAGE_TTL_MS = 400 * 86_400_000;

/** A row is one value of the store, with at most 700 bytes per model: a long name and its counts. */
const MAX_MODELS = 90;
/** The name for the sum of further models. */
const OTHER_MODELS = "(other models)";

/** The `source` of a row for all widget sessions together. */
export const SESSIONS = "sessions";
/** The `source` of a row for all users of the playground together. */
export const PLAYGROUND = "playground";

/** The `agentId` for usage without an agent, such as processing documents. */
export const NO_AGENT = "00000000-0000-0000-0000-000000000000";

/** Sums of settled runs; cost in micro-USD. */
export const usageSchema = z.object({
  runs: z.int().nonnegative(),
  /** Runs that ended with an error; not counted in rows of early releases. */
  failed: z.int().nonnegative().default(0),
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  cost: z.int().nonnegative(),
  ...tokenPartsSchema.shape,
});
export type Usage = z.infer<typeof usageSchema>;

/** The usage of one agent on one day with one key (or all sessions) in one format, by `provider/model`. */
export const usageRowSchema = z.object({
  v: z.literal(1),
  models: z.record(z.string(), usageSchema),
  /** The latest canaries of the day. */
  canaries: z.array(canarySumsSchema).optional(),
});
export type UsageRow = z.infer<typeof usageRowSchema>;

export const NO_USAGE: Usage = { runs: 0, failed: 0, inputTokens: 0, outputTokens: 0, cost: 0 };

export function sumUsage(a: Usage, b: Usage): Usage {
  return {
    runs: a.runs + b.runs,
    failed: a.failed + b.failed,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cost: a.cost + b.cost,
    ...sumTokenParts(a, b),
  };
}

/** The key of the row for a run of `day` (UTC, `YYYY-MM-DD`), in the shard that the process writes. */
export function usageKeyOf(
  { tenant, agentId, source }: Pick<RunFacts, "tenant" | "agentId" | "source">,
  day: string,
  shard = 0,
): string[] {
  return keys.usageRow({ tenant, day, agentId, source: usageSourceOf(source) }, shard);
}

/** What the `source` of a row names: who asked, and in which format. */
export function splitUsageSource(source: string): { caller: string; protocol: string } {
  const [caller = "", protocol = "native"] = source.split("/");
  return { caller, protocol };
}

/** The `source` of a row; runs in our own format have the caller alone. */
export function usageSource(caller: string, protocol: ChatProtocol | undefined): string {
  return protocol === undefined || protocol === "native" ? caller : `${caller}/${protocol}`;
}

function usageSourceOf({ kind, id, protocol }: RunFacts["source"]): string {
  return usageSource(callerOf({ kind, id }), protocol);
}

function callerOf({ kind, id }: Pick<RunFacts["source"], "kind" | "id">): string {
  switch (kind) {
    case "session":
      return SESSIONS;
    case "user":
      return PLAYGROUND;
    case "key":
      return id;
    default:
      return kind satisfies never;
  }
}

/** Adds a settled run to its row. */
export function addToUsage(tx: Transaction, key: string[], run: RunRecord): void {
  for (const share of usageShares(run)) addUsage(tx, key, { model: share, usage: share });
  if (run.canary === undefined) return;
  const row = tx.get<UsageRow>(key)!;
  const canaries = addCanaryRun(row.canaries, { ...run, canary: run.canary });
  tx.set(key, { ...row, canaries }, { expireIn: USAGE_TTL_MS });
}

/** Adds usage of a model to a row. */
export function addUsage(
  tx: Transaction,
  key: string[],
  { model: named, usage }: { model: ModelName; usage: Usage },
): void {
  const held = tx.get<UsageRow>(key);
  const models = held?.models ?? {};
  const name = nameIn(models, named);
  // Rows of early releases lack `failed`.
  const before = { ...NO_USAGE, ...(Object.hasOwn(models, name) ? models[name] : {}) };
  const row: UsageRow = { ...held, v: 1, models: { ...models, [name]: sumUsage(before, usage) } };
  tx.set(key, row, { expireIn: USAGE_TTL_MS });
}

type ModelName = Pick<RunRecord, "provider" | "model">;

/** The model's name, or the provider's name for further models if the row is full. */
function nameIn(models: UsageRow["models"], { provider, model }: ModelName): string {
  const name = `${provider}/${model}`;
  const hasRoom = Object.keys(models).length < MAX_MODELS - PROVIDER_IDS.length;
  return hasRoom || Object.hasOwn(models, name) ? name : `${provider}/${OTHER_MODELS}`;
}
