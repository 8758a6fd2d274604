import { z } from "zod";
import type { DayRange } from "../../schemas/day_range.ts";
import type { Rating } from "../../schemas/rating.ts";
import { keys } from "../keys/keys.ts";
import type { Transaction } from "../tx/operation.ts";
import { parseRecord } from "../values/record.ts";

/** Counts can be read for a year, like usage; they are stored for a month longer. */
const COUNTS_TTL_MS = 400 * 86_400_000;

const count = z.int().nonnegative();
export const feedbackCountSchema = z.object({ v: z.literal(1), up: count, down: count });

/** How many answers are rated up and down. */
export interface RatingCounts {
  up: number;
  down: number;
}

export interface DayRatings extends RatingCounts {
  /** UTC, `YYYY-MM-DD`: when the answers ended. */
  day: string;
}

/** Moves an answer from one rating to another; the operation must include the key of the count. */
export function moveRating(
  tx: Transaction,
  key: Deno.KvKey,
  { from, to }: { from: Rating | undefined; to: Rating | undefined },
): void {
  if (from === to) return;
  const { up, down } = tx.get<RatingCounts>(key) ?? { up: 0, down: 0 };
  const next = { v: 1, up, down };
  if (from !== undefined) next[from] = Math.max(0, next[from] - 1);
  if (to !== undefined) next[to]++;
  tx.set(key, next, { expireIn: COUNTS_TTL_MS });
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
