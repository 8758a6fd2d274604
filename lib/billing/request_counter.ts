import type { Runtime } from "../platform/runtime.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import type { ReadTransaction } from "../store/tx/read_transaction.ts";
import {
  callerKeys,
  type CountedRequest,
  countRequest,
  type CountResult,
  countResume,
  type RateLimitStatus,
} from "./count_request.ts";
import type { RunDecision } from "./decide_run.ts";
import { isAddressLimit, LimitError } from "./limit_error.ts";
import type { Limits } from "./limits.ts";
import type { WindowStatus } from "./rate_window.ts";
import { type Caller, windowKey } from "./request_windows.ts";
import type { WindowShards } from "./window_shards.ts";

/** Counts requests that are no messages in the windows of their address and API key. */
export class RequestCounter {
  readonly #committer: GroupCommitter;
  readonly #runtime: Pick<Runtime, "now" | "randomBytes">;
  readonly #windows: WindowShards;

  constructor(
    committer: GroupCommitter,
    options: { runtime: Pick<Runtime, "now" | "randomBytes">; windows: WindowShards },
  ) {
    this.#committer = committer;
    this.#runtime = options.runtime;
    this.#windows = options.windows;
  }

  /** A random request id, to be reused in every attempt of one request. */
  newId(): number {
    return new DataView(this.#runtime.randomBytes(4).buffer).getUint32(0);
  }

  /** Throws the 429 of an address whose window is known to be full, without reading the store. */
  rejectFlood(
    address: string,
    { limits, scope = "ip" }: { limits: Limits; scope?: "ip" | "ip_resume" },
  ): void {
    const rejection = this.#windows.knownFull(address, { limits, scope });
    if (rejection !== undefined) throw new LimitError(rejection);
  }

  /** Counts one request. Throws the 429 of the limit that is reached. */
  countRequest(
    asked: { id: number; caller: Caller; limits: Limits },
    reads?: ReadTransaction,
  ): Promise<RateLimitStatus> {
    const request = { ...asked, caller: this.#windows.assignShards(asked.caller) };
    const count = (tx: Transaction, now: number) =>
      countRequest(tx, { ...request, isMessage: false, now });
    return this.#count(request, { keys: callerKeys(request.caller), count, reads });
  }

  /** Counts one resumed stream of an address. Throws the 429 if it has resumed too many. */
  countResume(
    { address, id, limits }: { address: string; id: number; limits: Limits },
  ): Promise<{ ip_resume: WindowStatus }> {
    const request = { caller: this.#windows.assignShards({ address }), id, limits };
    const count = (tx: Transaction, now: number) => countResume(tx, { ...request, now });
    return this.#count(request, { keys: [windowKey(request.caller, "address")], count });
  }

  async #count<Status>(request: Omit<CountedRequest, "now">, { keys, count, reads }: {
    keys: Deno.KvKey[];
    count: (tx: Transaction, now: number) => CountResult<Status>;
    reads?: ReadTransaction | undefined;
  }): Promise<Status> {
    const decided = await this.#windows.withCapacity(
      request,
      () =>
        this.#committer.run<CountResult<Status>>({
          keys,
          decide: (tx) => {
            const result = count(tx, this.#runtime.now());
            if ("windows" in result) result.record();
            return result;
          },
          isFinal: isFinalCount,
        }, reads),
    );
    if ("rejected" in decided) throw new LimitError(decided.rejected);
    return decided.windows;
  }
}

/** True if fresh values cannot change the result; a full shard is only a reason to look at all of them. */
export function isFinalCount(result: CountResult<unknown> | RunDecision): boolean {
  return "full" in result || ("rejected" in result && isAddressLimit(result.rejected));
}
