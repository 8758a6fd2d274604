import { formatNumber } from "../support/table.ts";
import { formatShare, middle, ratio, refusals, type Rounds } from "./report.ts";

/** Two processes on 8 tenants reach this share of one process's chats/s, where there are cores. */
const SPREAD_GOAL = 1.6;
/** Where there are none, a chat costs at most this share of the CPU, and so many commits conflict. */
const CPU_GOAL = 1.2;
const CONFLICT_GOAL = 0.05;
/** Two processes on one tenant reach this share of one process's chats/s. */
const HOT_GOAL = 0.9;
/** With fewer cores two processes cannot be much faster: clients, vendor and store need some as well. */
const CORES = 4;

/** One load that was measured. */
export interface Measured {
  name: string;
  tenants: number;
  /** The plan's streams refuse most. */
  refuses: boolean;
  rounds: Rounds;
}

/** What must hold with two processes, one sentence each with its figure, and whether it does. */
export function judge(measured: readonly Measured[], cores: number): string[] {
  return measured.flatMap((one) => [
    ...(one.refuses ? [] : [judgeSpeed(one, cores)]),
    judgeOutages(one),
  ]);
}

function judgeSpeed({ name, tenants, rounds }: Measured, cores: number): string {
  const speed = ratio(rounds, { of: "perSecond", size: 2 });
  const times = `${formatNumber(speed)} x the chats/s of x1`;
  if (tenants === 1) return verdict(speed >= HOT_GOAL, `${name}: ${times}, at least ${HOT_GOAL}`);
  if (cores >= CORES) {
    return verdict(speed >= SPREAD_GOAL, `${name}: ${times}, at least ${SPREAD_GOAL}`);
  }
  const cpu = ratio(rounds, { of: "cpuMsAChat", size: 2 });
  const shares = rounds.map((round) => round.get(2)!.conflicts).filter((one) => one !== undefined);
  const conflicts = middle(shares);
  const counted = shares.length > 0;
  const text = [
    `${name}: ${times}, ${formatNumber(cpu)} x the CPU a chat, at most ${CPU_GOAL}`,
    ...(counted
      ? [`${formatShare(conflicts)} conflicts, under ${formatShare(CONFLICT_GOAL)}`]
      : []),
  ].join("; ");
  // No chats at all cost nothing.
  return verdict(
    speed > 0 && cpu <= CPU_GOAL && (!counted || conflicts < CONFLICT_GOAL) ||
      speed >= SPREAD_GOAL,
    text,
  );
}

function judgeOutages({ name, rounds }: Measured): string {
  const count = refusals(rounds, { size: 2, status: 503 });
  return verdict(count === 0, `${name}: ${count} answers of 503, none allowed`);
}

function verdict(holds: boolean, text: string): string {
  return `${holds ? "holds" : "FAILS"}  ${text}`;
}
