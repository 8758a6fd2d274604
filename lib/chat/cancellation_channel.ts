import { z } from "zod";
import { keys } from "../store/keys/keys.ts";
import { parseRecord } from "../store/values/record.ts";
import { CANCELLED, type Runtime } from "../platform/runtime.ts";

/** Where a store does not tell of changes, its bell is looked at this often. */
const LOOK_MS = 1_000;
const KEPT_MS = 10 * 60_000;
/** A process that was just busy goes on listening: taking up and leaving off costs more than a look. */
const LINGER_MS = 5_000;

const stopRequestSchema = z.object({
  v: z.literal(1),
  tenant: z.string(),
  runId: z.string(),
});
type StopRequest = z.infer<typeof stopRequestSchema>;

/** Asks the process `owner` to stop a run of its own. */
export async function requestCancellation(
  kv: Deno.Kv,
  { owner, tenant, runId, runtime }: {
    owner: string;
    tenant: string;
    runId: string;
    runtime: Runtime;
  },
): Promise<void> {
  const request: StopRequest = { v: 1, tenant, runId };
  await kv.atomic()
    .set(keys.stopRequest(owner, runId), request, { expireIn: KEPT_MS })
    .set(keys.wakeKey(owner), runtime.uuid(), { expireIn: KEPT_MS })
    .commit();
}

/**
 * Hears, while this process has runs, what others ask it to stop: at once where the store tells of
 * changes, within a second where it does not. And which of them are watched through others.
 */
export class CancellationChannel {
  #kv: Deno.Kv;
  #owner: string;
  #runtime: Runtime;
  #onStop: (runId: string) => void;
  #onWatched: (runId: string) => void;
  #listening: AbortController | undefined;
  #resting: AbortController | undefined;
  #heard: string | null = null;

  constructor(
    kv: Deno.Kv,
    parts: {
      owner: string;
      runtime: Runtime;
      onStop: (runId: string) => void;
      /** A client follows the run through another process. Called only where the store can be watched. */
      onWatched?: (runId: string) => void;
    },
  ) {
    this.#kv = kv;
    this.#owner = parts.owner;
    this.#runtime = parts.runtime;
    this.#onStop = parts.onStop;
    this.#onWatched = parts.onWatched ?? (() => {});
  }

  listen(): void {
    this.#resting?.abort(CANCELLED);
    this.#resting = undefined;
    if (this.#listening !== undefined) return;
    const listening = new AbortController();
    this.#listening = listening;
    this.#watch(listening.signal).catch(() => {});
    this.#poll(listening.signal).catch(() => {});
  }

  /** Nothing runs here for now. */
  closeWhenIdle(): void {
    if (this.#listening === undefined || this.#resting !== undefined) return;
    const resting = new AbortController();
    this.#resting = resting;
    this.#runtime.sleep(LINGER_MS, resting.signal).then(() => this.close(), () => {});
  }

  close(): void {
    this.#resting?.abort(CANCELLED);
    this.#listening?.abort(CANCELLED);
    this.#resting = this.#listening = undefined;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const [stop, watch] = [keys.wakeKey(this.#owner), keys.followWakeKey(this.#owner)];
    const reader = this.#kv.watch<[string, string]>([stop, watch]).getReader();
    signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
    while (!signal.aborted) {
      const { value, done } = await reader.read();
      if (done) return;
      const [asked, watched] = value;
      // A request that is read twice does no harm.
      if (typeof watched.value === "string") this.#onWatched(watched.value);
      await this.#hear(asked.versionstamp);
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#runtime.sleep(LOOK_MS, signal);
      // A store that does not answer is asked again.
      await this.#look().catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const { versionstamp } = await this.#kv.get(keys.wakeKey(this.#owner));
    await this.#hear(versionstamp);
  }

  /** Collects what was asked since the bell last rang. */
  async #hear(versionstamp: string | null): Promise<void> {
    if (versionstamp === this.#heard) return;
    for await (const entry of this.#kv.list({ prefix: keys.stopRequests(this.#owner) })) {
      const request = parseRecord(stopRequestSchema, entry);
      // Before it is forgotten: a deletion that fails after all must not lose what was asked.
      if (request !== undefined) this.#onStop(request.runId);
      await this.#kv.delete(entry.key);
    }
    this.#heard = versionstamp;
  }
}
