import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Runtime } from "../platform/runtime.ts";
import { countResume, type ResumeCountResult } from "./count_request.ts";
import type { Limits } from "./limits.ts";
import type { WindowStatus } from "./rate_window.ts";
import { LimitError } from "./limit_error.ts";
import { windowKey } from "./request_windows.ts";
import type { WindowShards } from "./window_shards.ts";

/** What is decided by the windows of an address alone, whoever it speaks for. */
export class AddressLimiter {
  readonly #committer: GroupCommitter;
  readonly #runtime: Pick<Runtime, "now">;
  readonly #windows: WindowShards;

  constructor(
    committer: GroupCommitter,
    options: { runtime: Pick<Runtime, "now">; windows: WindowShards },
  ) {
    this.#committer = committer;
    this.#runtime = options.runtime;
    this.#windows = options.windows;
  }

  /** Throws the 429 of an address whose window is known to be full, without any work. */
  rejectFlood(
    address: string,
    { limits, scope = "ip" }: { limits: Limits; scope?: "ip" | "ip_resume" },
  ): void {
    const refused = this.#windows.knownFull(address, { limits, scope });
    if (refused !== undefined) throw new LimitError(refused);
  }

  /** Counts one resumed stream of an address. Throws the 429 when it has resumed too many. */
  async countResume(
    { address, id, limits }: { address: string; id: number; limits: Limits },
  ): Promise<{ ip_resume: WindowStatus }> {
    const caller = this.#windows.assignShards({ address });
    const decided = await this.#windows.withCapacity(
      { caller, limits },
      () =>
        this.#committer.run<ResumeCountResult>({
          keys: [windowKey(caller, "address")],
          decide: (draft) => {
            const count = countResume(draft, { caller, id, limits, now: this.#runtime.now() });
            if ("windows" in count) count.record();
            return count;
          },
          isFinal: (count) => "rejected" in count || "full" in count,
        }),
    );
    if ("rejected" in decided) throw new LimitError(decided.rejected);
    return decided.windows;
  }
}
