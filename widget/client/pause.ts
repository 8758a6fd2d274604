/** Waits for `ms`, until `closing`, or until the network is back on platforms that report it. */
export function pause(ms: number, closing: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (closing.aborted) return resolve();
    const ended = new AbortController();
    const end = () => {
      clearTimeout(timer);
      ended.abort();
      resolve();
    };
    // Random jitter spreads out the reconnects of many clients.
    const timer = setTimeout(end, ms * (0.5 + Math.random()));
    closing.addEventListener("abort", end, { signal: ended.signal });
    // Node's global object has no events.
    globalThis.addEventListener?.("online", end, { signal: ended.signal });
  });
}
