import type { Committer } from "../store/tx/committer.ts";
import type { Runtime } from "../platform/runtime.ts";
import { countResume, type ResumeCount } from "./count_request.ts";
import type { Limits } from "./limits.ts";
import type { WindowLeft } from "./rate_window.ts";
import { LimitError } from "./refusal.ts";
import { windowKey } from "./request_windows.ts";
import type { WindowShards } from "./window_shards.ts";

/** What is decided by the windows of an address alone, whoever it speaks for. */
export class AddressWindows {
  readonly #committer: Committer;
  readonly #runtime: Pick<Runtime, "now">;
  readonly #windows: WindowShards;

  constructor(
    committer: Committer,
    options: { runtime: Pick<Runtime, "now">; windows: WindowShards },
  ) {
    this.#committer = committer;
    this.#runtime = options.runtime;
    this.#windows = options.windows;
  }

  /** Throws the 429 of an address whose window is known to be full, without any work. */
  refuseFlood(
    address: string,
    { limits, scope = "ip" }: { limits: Limits; scope?: "ip" | "ip_resume" },
  ): void {
    const refused = this.#windows.known(address, { limits, scope });
    if (refused !== undefined) throw new LimitError(refused);
  }

  /** Counts one resumed stream of an address. Throws the 429 when it has resumed too many. */
  async countResume(
    { address, id, limits }: { address: string; id: number; limits: Limits },
  ): Promise<{ ip_resume: WindowLeft }> {
    const caller = this.#windows.locate({ address });
    const decided = await this.#windows.withRoom(
      { caller, limits },
      () =>
        this.#committer.run<ResumeCount>({
          keys: [windowKey(caller, "address")],
          decide: (draft) => {
            const count = countResume(draft, { caller, id, limits, now: this.#runtime.now() });
            if ("left" in count) count.note();
            return count;
          },
          isFinal: (count) => "refused" in count || "full" in count,
        }),
    );
    if ("refused" in decided) throw new LimitError(decided.refused);
    return decided.left;
  }
}
