import { z } from "zod";
import type { DayRange } from "../../schemas/day_range.ts";
import type { CanaryArm } from "../../schemas/publication.ts";
import type { Rating } from "../../schemas/rating.ts";
import { keys } from "../keys/keys.ts";
import type { RunCanary } from "../runs/run_record.ts";
import type { Transaction } from "../tx/operation.ts";
import { parseRecord } from "../values/record.ts";

/** Counts can be read for a year, like usage; they are stored for a month longer. */
const COUNTS_TTL_MS = 400 * 86_400_000;

/** A day's count keeps this many canaries: each is started by hand. */
const MAX_CANARIES = 5;

const count = z.int().nonnegative();
const ratingCountsSchema = z.object({ up: count, down: count });
/** The ratings of a canary's answers, and of those of the version beside it. */
const canaryRatingsSchema = z.object({
  id: z.string(),
  canary: ratingCountsSchema,
  published: ratingCountsSchema,
});
export type CanaryRatings = z.infer<typeof canaryRatingsSchema>;

export const feedbackCountSchema = ratingCountsSchema.extend({
  v: z.literal(1),
  /** The latest canaries of the day; they are counted above as well. */
  canaries: z.array(canaryRatingsSchema).optional(),
});
type FeedbackCount = z.infer<typeof feedbackCountSchema>;

/** How many answers are rated up and down. */
export interface RatingCounts {
  up: number;
  down: number;
}

export const NO_RATINGS: RatingCounts = { up: 0, down: 0 };

export interface DayRatings extends RatingCounts {
  /** UTC, `YYYY-MM-DD`: when the answers ended. */
  day: string;
}

interface RatingChange {
  from: Rating | undefined;
  to: Rating | undefined;
}

/** Moves an answer from one rating to another; the operation must include the key of the count. */
export function moveRating(
  tx: Transaction,
  key: Deno.KvKey,
  { canary, ...change }: RatingChange & { canary: RunCanary | undefined },
): void {
  if (change.from === change.to) return;
  const held = tx.get<FeedbackCount>(key) ?? { v: 1, ...NO_RATINGS };
  const canaries = canary === undefined
    ? held.canaries
    : moveInCanary(held.canaries, { ...canary, change });
  const next = { v: 1, ...moved(held, change), ...canaries && { canaries } };
  tx.set(key, next, { expireIn: COUNTS_TTL_MS });
}

function moved({ up, down }: RatingCounts, { from, to }: RatingChange): RatingCounts {
  const next = { up, down };
  if (from !== undefined) next[from] = Math.max(0, next[from] - 1);
  if (to !== undefined) next[to]++;
  return next;
}

function moveInCanary(
  canaries: readonly CanaryRatings[] = [],
  { id, arm, change }: { id: string; arm: CanaryArm; change: RatingChange },
): CanaryRatings[] {
  const before = canaries.find((one) => one.id === id) ??
    { id, canary: NO_RATINGS, published: NO_RATINGS };
  const next = { ...before, [arm]: moved(before[arm], change) };
  return [...canaries.filter((one) => one.id !== id), next].slice(-MAX_CANARIES);
}

/** The days of `range` with rated answers of an agent, in order. */
export async function readRatings(
  kv: Deno.Kv,
  { tenant, agentId, range }: { tenant: string; agentId: string; range: DayRange },
): Promise<DayRatings[]> {
  const start = keys.feedbackCount(tenant, agentId, range.from);
  // The end of a selector is exclusive; no day sorts between a day and the same day with a suffix.
  const end = keys.feedbackCount(tenant, agentId, `${range.to}\0`);
  const days: DayRatings[] = [];
  for await (const entry of kv.list({ start, end }, { batchSize: 400 })) {
    const { up, down } = parseRecord(feedbackCountSchema, entry)!;
    if (up + down > 0) days.push({ day: String(entry.key.at(-1)), up, down });
  }
  return days;
}

export function sumRatings(days: readonly RatingCounts[]): RatingCounts {
  return days.reduce<RatingCounts>(
    (sum, { up, down }) => ({ up: sum.up + up, down: sum.down + down }),
    { up: 0, down: 0 },
  );
}
