import type { Runtime } from "../../platform/runtime.ts";
import type { HandoffState } from "../../schemas/handoff.ts";
import {
  type HandoffHead,
  handoffName,
  type NumberedEntry,
} from "../../store/handoffs/handoff_record.ts";
import type { HandoffStore } from "../../store/handoffs/handoff_store.ts";
import { type ConversationName, keys } from "../../store/keys/keys.ts";

/** How often the feed is read although the store has reported no change. */
const POLL_MS = 5_000;
/** The same if the store cannot be watched. */
const POLL_UNWATCHED_MS = 1_000;
/** Entries per update. */
const MAX_ENTRIES = 50;

export interface HandoffFollowerDeps {
  kv: Deno.Kv;
  runtime: Runtime;
  store: HandoffStore;
}

export interface FollowOptions {
  tenant: string;
  head: HandoffHead;
  /** The number of the last entry that the client has. */
  after: number;
  /** Whose typing is reported. */
  typing: "visitor" | "person";
  /** More keys whose changes wake the follower, such as that of the client's session. */
  watched?: readonly Deno.KvKey[];
  /** Checked whenever the follower wakes. */
  isAllowed: () => Promise<boolean>;
  signal: AbortSignal;
}

export type FeedUpdate =
  /** `isOver`: the agent has the conversation again, or it is closed. */
  | { kind: "news"; entries: NumberedEntry[]; isTyping: boolean; isOver: boolean }
  /** The conversation was deleted. */
  | { kind: "gone" }
  /** The client's credential has ended. */
  | { kind: "denied" };

/** True once a feed ends: nobody waits, and nobody has the conversation. */
export function isFinal(state: HandoffState): boolean {
  return state === "returned" || state === "closed";
}

/** Follows the feed of a hand-off that any process writes. Ends the wait when its time is up. */
export class HandoffFollower {
  readonly #deps: HandoffFollowerDeps;
  readonly #options: FollowOptions;
  readonly #name: ConversationName;
  readonly #typingKey: Deno.KvKey;
  #position: number;
  /** The last typing that was seen; `undefined` before the first read. */
  #typing: string | null | undefined;
  /** Resolves with the next change that the store reports. */
  #wake = Promise.withResolvers<void>();
  #isWatching = false;
  #isWatched = false;

  constructor(deps: HandoffFollowerDeps, options: FollowOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#name = handoffName(options.tenant, options.head);
    this.#typingKey = keys.handoffTyping(this.#name, options.typing);
    this.#position = options.after;
  }

  /** Resolves with the next news. Rejects if the signal is aborted or the store fails. */
  async next(): Promise<FeedUpdate> {
    const { signal, isAllowed } = this.#options;
    if (!this.#isWatching) this.#watch();
    for (;;) {
      signal.throwIfAborted();
      // Before the reads: a change during them must not be missed.
      const woken = this.#wake.promise;
      if (!await isAllowed()) return { kind: "denied" };
      const update = await this.#read();
      if (update !== undefined) return update;
      await this.#wait(woken);
    }
  }

  async #read(): Promise<FeedUpdate | undefined> {
    const { tenant, head: { feed } } = this.#options;
    const { kv, store } = this.#deps;
    const head = await this.#currentHead();
    if (head === undefined || head.feed !== feed) return { kind: "gone" };
    const from = this.#position + 1;
    const entries = from < head.next
      ? await store.entries(tenant, feed, { from, limit: MAX_ENTRIES })
      : [];
    const isComplete = entries.length < MAX_ENTRIES;
    // Entries that cannot be decrypted are skipped.
    this.#position = Math.max(
      entries.at(-1)?.n ?? 0,
      isComplete ? head.next - 1 : 0,
      this.#position,
    );
    const { versionstamp } = await kv.get(this.#typingKey);
    const isNew = this.#typing !== undefined && versionstamp !== this.#typing;
    const isTyping = isNew && versionstamp !== null;
    this.#typing = versionstamp;
    const last = entries.findLast((entry) => entry.type === "state");
    const isOver = isComplete && isFinal(last?.state ?? head.state);
    if (entries.length === 0 && !isTyping && !isOver) return undefined;
    return { kind: "news", entries, isTyping, isOver };
  }

  /** The head, after a wait that is over was ended. */
  async #currentHead(): Promise<HandoffHead | undefined> {
    const { store, runtime } = this.#deps;
    const head = await store.find(this.#name);
    if (head?.state !== "waiting" || runtime.now() < head.answerBy) return head;
    const expired = await store.change(this.#name, { type: "expire" });
    return "head" in expired ? expired.head : undefined;
  }

  async #wait(woken: Promise<void>): Promise<void> {
    const { runtime, store } = this.#deps;
    const head = await store.find(this.#name);
    const left = head?.state === "waiting" ? head.answerBy - runtime.now() : Infinity;
    const poll = this.#isWatched ? POLL_MS : POLL_UNWATCHED_MS;
    const slept = new AbortController();
    const signal = AbortSignal.any([slept.signal, this.#options.signal]);
    const elapsed = runtime.sleep(Math.max(1, Math.min(poll, left)), signal).catch(() => {});
    await Promise.race([elapsed, woken]);
    slept.abort();
  }

  /** A store that cannot be watched is polled. */
  async #watch(): Promise<void> {
    this.#isWatching = true;
    const { signal, watched = [] } = this.#options;
    try {
      const all = [keys.handoff(this.#name), this.#typingKey, ...watched];
      const reader = this.#deps.kv.watch(all).getReader();
      const cancel = () => void reader.cancel().catch(() => {});
      signal.addEventListener("abort", cancel, { once: true });
      if (signal.aborted) cancel();
      while (!(await reader.read()).done) {
        this.#isWatched = true;
        this.#report();
      }
    } catch {
      // Polled from now on.
    }
    this.#isWatched = false;
    this.#report();
  }

  #report(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
