import { z } from "zod";
import { CANCELLED, type Runtime, setTimer } from "../platform/runtime.ts";
import { keys } from "../store/keys/keys.ts";
import { parseRecord } from "../store/values/record.ts";

/** Poll interval, for stores that cannot be watched. */
const POLL_MS = 1_000;
const REQUEST_TTL_MS = 10 * 60_000;
/** Keep listening after the last run: starting and stopping costs more than a few polls. */
const LINGER_MS = 5_000;

const stopRequestSchema = z.object({
  v: z.literal(1),
  tenant: z.string(),
  runId: z.string(),
  /** The number of a waiting call that was answered: the run continues. */
  call: z.int().optional(),
});
type StopRequest = z.infer<typeof stopRequestSchema>;

/** Asks the process `owner` to cancel one of its runs. */
export async function requestCancellation(kv: Deno.Kv, { owner, tenant, runId, runtime }: {
  owner: string;
  tenant: string;
  runId: string;
  runtime: Runtime;
}): Promise<void> {
  const request: StopRequest = { v: 1, tenant, runId };
  await kv.atomic()
    .set(keys.stopRequest(owner, runId), request, { expireIn: REQUEST_TTL_MS })
    .set(keys.wakeKey(owner), runtime.uuid(), { expireIn: REQUEST_TTL_MS })
    .commit();
}

export interface CancellationChannelOptions {
  /** The id of this process. */
  owner: string;
  runtime: Runtime;
  onCancel: (runId: string) => void;
  /** A call that waits in this process was answered in another one. */
  onAnswered?: (runId: string, n: number) => void;
  /** A client follows the run through another process. Requires a store that can be watched. */
  onFollowed?: (runId: string) => void;
}

/**
 * Receives cancellations from other processes while this one has runs: immediately if the store can be
 * watched, otherwise within a second. Also learns which runs are followed through other processes.
 */
export class CancellationChannel {
  readonly #kv: Deno.Kv;
  readonly #options: CancellationChannelOptions;
  #listening: AbortController | undefined;
  #cancelTimer: (() => void) | undefined;
  #lastWake: string | null = null;

  constructor(kv: Deno.Kv, options: CancellationChannelOptions) {
    this.#kv = kv;
    this.#options = options;
  }

  listen(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#listening !== undefined) return;
    const listening = new AbortController();
    this.#listening = listening;
    this.#watch(listening.signal).catch(() => {});
    this.#poll(listening.signal).catch(() => {});
  }

  /** Closes after a while without `listen`. */
  closeWhenIdle(): void {
    if (this.#listening === undefined || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = setTimer(this.#options.runtime, LINGER_MS, () => this.close());
  }

  close(): void {
    this.#cancelTimer?.();
    this.#listening?.abort(CANCELLED);
    this.#cancelTimer = this.#listening = undefined;
  }

  /** Watches until closed. After an error it begins again, and polling alone works meanwhile. */
  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#followWakes(signal).catch(() => {});
      await this.#options.runtime.sleep(POLL_MS, signal);
    }
  }

  async #followWakes(signal: AbortSignal): Promise<void> {
    const { owner, onFollowed } = this.#options;
    const [wakeKey, followKey] = [keys.wakeKey(owner), keys.followWakeKey(owner)];
    const reader = this.#kv.watch<[string, string]>([wakeKey, followKey]).getReader();
    const stop = () => void reader.cancel().catch(() => {});
    signal.addEventListener("abort", stop, { once: true });
    try {
      while (!signal.aborted) {
        const { value, done } = await reader.read();
        if (done) return;
        const [wake, followed] = value;
        // Handling the same value twice is harmless.
        if (typeof followed.value === "string") onFollowed?.(followed.value);
        await this.#receive(wake.versionstamp);
      }
    } finally {
      signal.removeEventListener("abort", stop);
      stop();
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#options.runtime.sleep(POLL_MS, signal);
      const wake = await this.#kv.get(keys.wakeKey(this.#options.owner)).catch(() => undefined);
      // Errors of the store are retried with the next poll.
      if (wake !== undefined) await this.#receive(wake.versionstamp).catch(() => {});
    }
  }

  /** Handles all requests if the wake key has changed. */
  async #receive(versionstamp: string | null): Promise<void> {
    if (versionstamp === this.#lastWake) return;
    const { owner, onCancel, onAnswered } = this.#options;
    for await (const entry of this.#kv.list({ prefix: keys.stopRequests(owner) })) {
      const request = parseRecord(stopRequestSchema, entry);
      // Handle it before deleting: a failed deletion must not lose the request.
      if (request?.call !== undefined) onAnswered?.(request.runId, request.call);
      else if (request !== undefined) onCancel(request.runId);
      await this.#kv.delete(entry.key);
    }
    this.#lastWake = versionstamp;
  }
}
