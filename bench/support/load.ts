/** What so many callers got done, each asking again as soon as it was answered. */
export interface Measured {
  perSecond: number;
  /** Milliseconds. Of what was not answered in time, its age counts: a lower bound. */
  p50: number;
  p99: number;
  /** Asked, and not answered when time was up. */
  open: number;
}

/** One request of caller `n`; what it throws after time is up is no error. */
export type Ask = (n: number) => Promise<unknown>;

export interface Load {
  callers: number;
  /** How long is measured, after a quarter of that to warm up. */
  ms: number;
  /** Aborted when time is up. */
  stop: AbortController;
}

/** Keeps `callers` asking until time is up. */
export async function measure(ask: Ask, { callers, ms, stop }: Load): Promise<Measured> {
  const latencies: number[] = [];
  const begin = performance.now() + ms / 4;
  const end = begin + ms;
  let open = 0;
  const caller = async (n: number) => {
    // The clock decides, not a timer: a busy event loop cannot lengthen the measurement.
    for (let asked = performance.now(); asked < end;) {
      await ask(n).catch((error) => {
        if (!stop.signal.aborted) throw error;
      });
      const answered = performance.now();
      if (answered >= end) open++;
      if (answered >= begin) latencies.push(Math.min(answered, end) - asked);
      asked = answered;
    }
  };
  const timer = setTimeout(() => stop.abort(), end - performance.now());
  await Promise.all(Array.from({ length: callers }, (_, n) => caller(n)));
  clearTimeout(timer);
  const answered = latencies.length - open;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  return { perSecond: answered / ms * 1000, p50: at(0.5), p99: at(0.99), open };
}
