import { setTimeout as delay } from "node:timers/promises";
import type { StoreCalls } from "./measured_kv.ts";
import type { NewCaller } from "./callers.ts";

/** The resources that a fleet has used so far. */
export interface Usage {
  cpuMs: number;
  /** Unset if calls of the store cannot be counted. */
  store?: StoreCalls;
}

export interface LegOptions {
  /** Addresses of the processes; chats are sent to them round-robin. */
  urls: readonly string[];
  newCaller: NewCaller;
  callers: number;
  warmUpMs: number;
  ms: number;
  usage: () => Promise<Usage>;
}

/** The results of one fleet under one load. */
export interface LegResult {
  perSecond: number;
  /** Milliseconds to the first byte of an answer; an answer cut off at the end counts by its age. */
  p50: number;
  p99: number;
  cpuMsAChat: number;
  commitsAChat: number | undefined;
  callsAChat: number | undefined;
  /** Share of the commits that conflicted. */
  conflicts: number | undefined;
  /** Responses by status other than 200, including those of the warm-up. */
  rejected: Record<number, number>;
  /** Responses of 200 that broke off. */
  broken: number;
}

/** How long a leg waits after its end for open answers before it cuts them off. */
const GRACE_MS = 500;
/** The pause of a caller after a rejection. */
const REJECTED_PAUSE_MS = 5;

/** One chat, with times of `performance.now()`. */
interface Answer {
  startedAt: number;
  firstByteAt: number;
  endedAt: number;
  /** 0 if the leg's end or an error cut it off. */
  status: number;
  isCut: boolean;
}

/** Keeps `callers` chatting in a closed loop for `warmUpMs + ms`; only `ms` is measured. */
export async function runLeg(options: LegOptions): Promise<LegResult> {
  const { callers, warmUpMs, ms, usage } = options;
  const answers: Answer[] = [];
  const cut = new AbortController();
  const end = performance.now() + warmUpMs + ms;
  let turn = 0;
  const caller = async () => {
    const next = options.newCaller();
    while (performance.now() < end) {
      const url = options.urls[turn++ % options.urls.length]!;
      const answer = await chat(url, { request: next(), signal: cut.signal });
      answers.push(answer);
      if (answer.status !== 200) await delay(REJECTED_PAUSE_MS);
    }
  };
  const all = Promise.all(Array.from({ length: callers }, caller));
  await delay(warmUpMs);
  const from = { at: performance.now(), usage: structuredClone(await usage()) };
  await delay(ms);
  const to = { at: performance.now(), usage: structuredClone(await usage()) };
  const timer = setTimeout(() => cut.abort(), GRACE_MS);
  await all;
  clearTimeout(timer);
  return summarize(answers, { from, to });
}

async function chat(
  url: string,
  { request, signal }: { request: RequestInit; signal: AbortSignal },
): Promise<Answer> {
  const startedAt = performance.now();
  const answer: Answer = { startedAt, firstByteAt: 0, endedAt: 0, status: 0, isCut: false };
  try {
    const response = await fetch(`${url}/v1/chat/stream`, { ...request, signal });
    for await (const _ of response.body!) answer.firstByteAt ||= performance.now();
    answer.status = response.status;
  } catch {
    answer.isCut = signal.aborted;
  }
  answer.endedAt = performance.now();
  answer.firstByteAt ||= answer.endedAt;
  return answer;
}

interface Moment {
  at: number;
  usage: Usage;
}

function summarize(
  answers: readonly Answer[],
  { from, to }: { from: Moment; to: Moment },
): LegResult {
  const ended = answers.filter((one) => one.endedAt >= from.at && one.endedAt < to.at);
  const chats = ended.filter(({ status }) => status === 200);
  const late = answers.filter((one) => one.endedAt >= to.at && (one.status === 200 || one.isCut));
  const firsts = [...chats, ...late].map(({ startedAt, firstByteAt }) =>
    Math.min(firstByteAt, to.at) - startedAt
  );
  const count = Math.max(chats.length, 1);
  const since = (of: keyof StoreCalls) =>
    to.usage.store && to.usage.store[of] - from.usage.store![of];
  const each = (of: keyof StoreCalls) => since(of) === undefined ? undefined : since(of)! / count;
  const rejections = Map.groupBy(
    answers.filter(({ status }) => status !== 200 && status !== 0),
    ({ status }) => status,
  );
  return {
    perSecond: chats.length / (to.at - from.at) * 1000,
    p50: percentile(firsts, 0.5),
    p99: percentile(firsts, 0.99),
    cpuMsAChat: (to.usage.cpuMs - from.usage.cpuMs) / count,
    commitsAChat: each("commits"),
    callsAChat: each("calls"),
    conflicts: since("commits") === undefined
      ? undefined
      : since("conflicts")! / Math.max(since("commits")!, 1),
    rejected: Object.fromEntries([...rejections].map(([status, all]) => [status, all.length])),
    broken: answers.filter(({ status, isCut }) => status === 0 && !isCut).length,
  };
}

/** The value below which `share` of the values lie; 0 if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}
