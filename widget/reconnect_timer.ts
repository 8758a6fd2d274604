/** Waits that end early when the network, the tab or the machine comes back. */

export interface ReconnectTimer {
  /** Waits this long, or until something comes back; while offline, only until then. */
  pause(ms: number): Promise<void>;
  end(): void;
}

export interface ReconnectTimerOptions {
  /** Called with the silence (ms) after which a connection counts as dead. */
  readonly onWake: (silence: number) => void;
  /** The page is closed or put into the back/forward cache. */
  readonly onLeave: () => void;
}

export function createReconnectTimer({ onWake, onLeave }: ReconnectTimerOptions): ReconnectTimer {
  const ending = new AbortController();
  const waiting = new Set<() => void>();
  const wake = (silence: number) => {
    for (const resolve of waiting) resolve();
    waiting.clear();
    onWake(silence);
  };
  const trusted = () => document.hidden || wake(12_000);
  addEventListener("online", () => wake(0), ending);
  addEventListener("pageshow", trusted, ending);
  addEventListener("pagehide", onLeave, ending);
  document.addEventListener("visibilitychange", trusted, ending);
  return {
    pause: (ms) =>
      new Promise((resolve) => {
        waiting.add(resolve);
        // Random jitter spreads out the reconnects of many visitors.
        if (navigator.onLine) setTimeout(resolve, ms * (0.5 + Math.random()));
      }),
    end: () => ending.abort(),
  };
}
