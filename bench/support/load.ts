/** The results of a number of callers in a closed loop. */
export interface Measured {
  perSecond: number;
  /** Milliseconds. A request without a response counts by its age: a lower bound. */
  p50: number;
  p99: number;
  /** Requests without a response when time was up. */
  open: number;
}

/** Sends one request of caller `n`; errors after time is up are ignored. */
export type SendRequest = (n: number) => Promise<unknown>;

export interface Load {
  callers: number;
  /** Duration of the measurement, after a warm-up of a quarter of it. */
  ms: number;
  /** Aborted when time is up. */
  stop: AbortController;
}

/** Keeps `callers` sending requests until time is up. */
export async function measure(send: SendRequest, { callers, ms, stop }: Load): Promise<Measured> {
  const latencies: number[] = [];
  const begin = performance.now() + ms / 4;
  const end = begin + ms;
  let open = 0;
  const caller = async (n: number) => {
    // The clock decides, not a timer: a busy event loop cannot lengthen the measurement.
    for (let sentAt = performance.now(); sentAt < end;) {
      await send(n).catch((error) => {
        if (!stop.signal.aborted) throw error;
      });
      const answeredAt = performance.now();
      if (answeredAt >= end) open++;
      if (answeredAt >= begin) latencies.push(Math.min(answeredAt, end) - sentAt);
      sentAt = answeredAt;
    }
  };
  const timer = setTimeout(() => stop.abort(), end - performance.now());
  await Promise.all(Array.from({ length: callers }, (_, n) => caller(n)));
  clearTimeout(timer);
  const completed = latencies.length - open;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  return { perSecond: completed / ms * 1000, p50: at(0.5), p99: at(0.99), open };
}
