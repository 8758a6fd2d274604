/** Waiting that ends early when the network, the tab or the machine comes back. */

export interface ReconnectTimer {
  /** Waits this long, or less when something wakes; while offline, until it does. */
  pause(ms: number): Promise<void>;
  end(): void;
}

export interface ReconnectTimerOptions {
  /** Gets how long (ms) a connection may have been silent to be trusted still. */
  readonly onWake: (silence: number) => void;
  /** The page is left, or put aside. */
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
        // The random part keeps a thousand visitors from coming back in the same moment.
        if (navigator.onLine) setTimeout(resolve, ms * (0.5 + Math.random()));
      }),
    end: () => ending.abort(),
  };
}
