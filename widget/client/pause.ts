/** Waits for `ms`, or until the network is back on platforms that report it. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const ended = new AbortController();
    const end = () => {
      clearTimeout(timer);
      ended.abort();
      resolve();
    };
    // Random jitter spreads out the reconnects of many clients.
    const timer = setTimeout(end, ms * (0.5 + Math.random()));
    // Node's global object has no events.
    globalThis.addEventListener?.("online", end, { signal: ended.signal });
  });
}
