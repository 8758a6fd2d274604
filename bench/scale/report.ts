import { formatNumber } from "../support/table.ts";
import type { LegResult } from "./leg.ts";

/** The rounds of one load: each has one leg per size of the fleet. */
export type Rounds = readonly ReadonlyMap<number, LegResult>[];

export const HEAD = [
  "load",
  "chats/s",
  "first p50 ms",
  "p99",
  "CPU ms a chat",
  "commits a chat",
  "calls a chat",
  "conflicts",
  "429",
  "503",
  "other",
  "chats/s of x1",
];

/** The row of one size: medians of its legs, the sum of their rejections, and the median ratio. */
export function row(load: string, { rounds, size }: { rounds: Rounds; size: number }): string[] {
  const legs = rounds.map((round) => round.get(size)!);
  const median = (of: keyof LegResult) => {
    const values = legs.map((leg) => leg[of]).filter((value) => typeof value === "number");
    return values.length === 0 ? undefined : middle(values);
  };
  const number = (of: keyof LegResult) => {
    const value = median(of);
    return value === undefined ? "-" : formatNumber(value);
  };
  const conflicts = median("conflicts");
  return [
    `${load}, x${size}`,
    ...(["perSecond", "p50", "p99", "cpuMsAChat", "commitsAChat", "callsAChat"] as const)
      .map(number),
    conflicts === undefined ? "-" : formatShare(conflicts),
    ...[429, 503].map((status) => String(countStatus(rounds, { size, status }))),
    String(countOthers(legs)),
    size === 1 ? "" : `${formatNumber(ratio(rounds, { of: "perSecond", size }))} x`,
  ];
}

/** The median over the rounds of this size's figure divided by one process's; 0 if that was 0. */
export function ratio(
  rounds: Rounds,
  { of, size }: { of: "perSecond" | "cpuMsAChat"; size: number },
): number {
  return middle(rounds.map((round) => {
    const one = round.get(1)![of];
    return one === 0 ? 0 : round.get(size)![of] / one;
  }));
}

/** Responses with the given status in all legs of one size. */
export function countStatus(
  rounds: Rounds,
  { size, status }: { size: number; status: number },
): number {
  return rounds.reduce((all, round) => all + (round.get(size)!.rejected[status] ?? 0), 0);
}

/** 0.045 as `4.5 %`. */
export function formatShare(share: number): string {
  return `${formatNumber(share * 100)} %`;
}

/** The middle value, or the mean of the two middle ones. */
export function middle(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2;
}

/** Responses other than chats, 429 and 503. */
function countOthers(legs: readonly LegResult[]): number {
  return legs.reduce((all, { rejected, broken }) => {
    const rest = Object.entries(rejected).filter(([status]) => !["429", "503"].includes(status));
    return all + broken + rest.reduce((sum, [, count]) => sum + count, 0);
  }, 0);
}
