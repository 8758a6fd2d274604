import { formatNumber } from "../support/table.ts";
import { countStatus, formatShare, middle, ratio, type Rounds } from "./report.ts";

/** With enough cores, two processes on 8 tenants reach this multiple of one process's chats/s. */
const SPREAD_GOAL = 1.6;
/** With fewer cores, the maximum ratio of CPU per chat, and of conflicting commits. */
const CPU_GOAL = 1.2;
const CONFLICT_GOAL = 0.05;
/** Two processes on one tenant reach this share of one process's chats/s. */
const HOT_GOAL = 0.9;
/** With fewer cores two processes cannot be much faster: clients, provider and store need some too. */
const CORES = 4;

/** The measurements of one load. */
export interface Measured {
  name: string;
  tenants: number;
  /** The plan's limit of streams rejects most chats. */
  isOverLimit: boolean;
  rounds: Rounds;
}

/** What must hold with two processes: one line each with its figure, and whether it holds. */
export function judge(measured: readonly Measured[], cores: number): string[] {
  return measured.flatMap((one) => [
    ...(one.isOverLimit ? [] : [judgeSpeed(one, cores)]),
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
  const isCounted = shares.length > 0;
  const text = [
    `${name}: ${times}, ${formatNumber(cpu)} x the CPU a chat, at most ${CPU_GOAL}`,
    ...(isCounted
      ? [`${formatShare(conflicts)} conflicts, under ${formatShare(CONFLICT_GOAL)}`]
      : []),
  ].join("; ");
  // Without any chats, the cost is 0 too.
  return verdict(
    speed > 0 && cpu <= CPU_GOAL && (!isCounted || conflicts < CONFLICT_GOAL) ||
      speed >= SPREAD_GOAL,
    text,
  );
}

function judgeOutages({ name, rounds }: Measured): string {
  const count = countStatus(rounds, { size: 2, status: 503 });
  return verdict(count === 0, `${name}: ${count} responses of 503, none allowed`);
}

function verdict(holds: boolean, text: string): string {
  return `${holds ? "holds" : "FAILS"}  ${text}`;
}
