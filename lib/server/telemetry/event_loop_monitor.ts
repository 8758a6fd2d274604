import type { MetricRegistry } from "../../platform/metrics/metric_registry.ts";
import { monotonicNow, type Runtime } from "../../platform/runtime.ts";
import type { SetTimer } from "../../store/tx/send_schedule.ts";

const EVERY_MS = 100;
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * Measures how late timers are, because `monitorEventLoopDelay` of Deno measures nothing. It begins when
 * metrics are first read: a process whose metrics are never read has no timer for it.
 */
export class EventLoopMonitor {
  readonly #delay;
  readonly #runtime: Pick<Runtime, "now">;
  readonly #setTimer: SetTimer | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(
    registry: MetricRegistry,
    { runtime, setTimer }: { runtime: Pick<Runtime, "now">; setTimer: SetTimer | undefined },
  ) {
    this.#runtime = runtime;
    this.#setTimer = setTimer;
    this.#delay = registry.histogram({
      name: "agent_chat_event_loop_delay_seconds",
      help: "How late a timer of 100 ms is, measured all the time once metrics are read.",
      buckets: BUCKETS,
    });
  }

  start(): void {
    if (this.#cancel === undefined && !this.#isClosed) this.#measure();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #measure(): void {
    const due = monotonicNow(this.#runtime) + EVERY_MS;
    this.#cancel = this.#setTimer?.(EVERY_MS, () => {
      this.#delay.observe({}, Math.max(0, monotonicNow(this.#runtime) - due) / 1_000);
      if (!this.#isClosed) this.#measure();
    });
  }
}
