import { type DayRange, daysOf } from "../../schemas/day_range.ts";
import {
  type DayRatings,
  type RatingCounts,
  sumRatings,
} from "../../store/feedback/feedback_counts.ts";
import type { Bar } from "../charts/bar_layout.ts";
import { formatDay } from "../format_day.ts";

/** How an agent's answers were rated on the days of a range. */
export interface FeedbackTrend {
  sum: RatingCounts;
  /** The share of answers rated up on each day, in whole percent; 0 also for days without ratings. */
  bars: Bar[];
  /** Every day, the latest first. */
  days: DayRatings[];
}

export function feedbackTrend(range: DayRange, rated: readonly DayRatings[]): FeedbackTrend {
  const known = new Map(rated.map((one) => [one.day, one]));
  const days = daysOf(range).map((day) => known.get(day) ?? { day, up: 0, down: 0 });
  return {
    sum: sumRatings(days),
    bars: days.map((one) => ({ label: formatDay(one.day), values: [percentUp(one) ?? 0] })),
    days: days.reverse(),
  };
}

/** The share of answers rated up in whole percent; `undefined` without ratings. */
export function percentUp({ up, down }: RatingCounts): number | undefined {
  return up + down === 0 ? undefined : Math.round(100 * up / (up + down));
}
