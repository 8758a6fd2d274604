/** Waits so long, or until the network is back where the platform tells. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const ended = new AbortController();
    const end = () => {
      clearTimeout(timer);
      ended.abort();
      resolve();
    };
    // The random part keeps a thousand clients from coming back in the same moment.
    const timer = setTimeout(end, ms * (0.5 + Math.random()));
    // Not everywhere: Node's global object hears no events.
    globalThis.addEventListener?.("online", end, { signal: ended.signal });
  });
}
