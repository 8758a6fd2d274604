import { DAY_MS, dayOf } from "../../platform/utc_day.ts";
import type { CanaryArm } from "../../schemas/publication.ts";
import {
  feedbackCountSchema,
  NO_RATINGS,
  type RatingCounts,
  sumRatings,
} from "../feedback/feedback_counts.ts";
import { keys } from "../keys/keys.ts";
import { type ArmSums, NO_ANSWERS, sumArms } from "../runs/canary_sums.ts";
import { usageRowSchema } from "../runs/usage_rows.ts";
import { parseRecord } from "../values/record.ts";
import type { StoredCanary } from "./stored_publication.ts";

/** What is older does not count any more. */
const MAX_DAYS = 90;

/** What became of the conversations that a canary divides; cost in micro-USD. */
export type CanaryCounts = Record<CanaryArm, ArmSums & RatingCounts>;

const NONE = { ...NO_ANSWERS, ...NO_RATINGS };

/**
 * The answers of a canary and of the version beside it, of the last 90 days until `now` or its end. They are
 * parts of the rows of usage and of the counts of ratings, and are committed with those.
 */
export async function readCanaryCounts(
  kv: Deno.Kv,
  { tenant, agentId, canary: { id, startedAt, endedAt }, now }: {
    tenant: string;
    agentId: string;
    canary: Pick<StoredCanary, "id" | "startedAt"> & { endedAt?: number };
    now: number;
  },
): Promise<CanaryCounts> {
  const place = { tenant, agentId, id };
  const counts = await Promise.all(
    daysBetween(startedAt, endedAt ?? now).map((day) => readDay(kv, { ...place, day })),
  );
  return counts.reduce(sumCounts, { canary: NONE, published: NONE });
}

/** Runs and clocks of processes may end a day later. */
function daysBetween(startedAt: number, endedAt: number): string[] {
  const end = endedAt + DAY_MS;
  const start = Math.max(startedAt - DAY_MS, end - MAX_DAYS * DAY_MS);
  const days = new Set<string>();
  for (let at = start; at < end; at += DAY_MS) days.add(dayOf(at));
  return [...days.add(dayOf(end))];
}

async function readDay(
  kv: Deno.Kv,
  { tenant, agentId, id, day }: { tenant: string; agentId: string; id: string; day: string },
): Promise<CanaryCounts> {
  const counts = { canary: NONE, published: NONE };
  for await (const entry of kv.list({ prefix: keys.usageOfAgent({ tenant, day, agentId }) })) {
    const sums = parseRecord(usageRowSchema, entry)!.canaries?.find((one) => one.id === id);
    if (sums === undefined) continue;
    counts.canary = { ...counts.canary, ...sumArms(counts.canary, sums.canary) };
    counts.published = { ...counts.published, ...sumArms(counts.published, sums.published) };
  }
  const rated = parseRecord(
    feedbackCountSchema,
    await kv.get(keys.feedbackCount(tenant, agentId, day)),
  )?.canaries?.find((one) => one.id === id);
  if (rated === undefined) return counts;
  return {
    canary: { ...counts.canary, ...rated.canary },
    published: { ...counts.published, ...rated.published },
  };
}

function sumCounts(a: CanaryCounts, b: CanaryCounts): CanaryCounts {
  const sum = (arm: CanaryArm) => ({
    ...sumArms(a[arm], b[arm]),
    ...sumRatings([a[arm], b[arm]]),
  });
  return { canary: sum("canary"), published: sum("published") };
}
