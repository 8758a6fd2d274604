import { formatNumber } from "../support/table.ts";
import type { LegResult } from "./leg.ts";

/** The rounds of one load: in each, every size of the fleet had its leg. */
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

/** The line of one size: medians of its legs, refusals of all of them, and the median ratio. */
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
    ...[429, 503].map((status) => String(refusals(rounds, { size, status }))),
    String(others(legs)),
    size === 1 ? "" : `${formatNumber(ratio(rounds, { of: "perSecond", size }))} x`,
  ];
}

/** The median over the rounds of this size's figure for one process's; 0 where that had none. */
export function ratio(
  rounds: Rounds,
  { of, size }: { of: "perSecond" | "cpuMsAChat"; size: number },
): number {
  return middle(rounds.map((round) => {
    const one = round.get(1)![of];
    return one === 0 ? 0 : round.get(size)![of] / one;
  }));
}

/** Answers with that status in all legs of one size. */
export function refusals(
  rounds: Rounds,
  { size, status }: { size: number; status: number },
): number {
  return rounds.reduce((all, round) => all + (round.get(size)!.refused[status] ?? 0), 0);
}

/** `4.5 %` of 0.045. */
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

/** Answers that are neither a chat nor 429 nor 503. */
function others(legs: readonly LegResult[]): number {
  return legs.reduce((all, { refused, broken }) => {
    const rest = Object.entries(refused).filter(([status]) => !["429", "503"].includes(status));
    return all + broken + rest.reduce((sum, [, count]) => sum + count, 0);
  }, 0);
}
