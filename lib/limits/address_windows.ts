import type { Committer } from "../committer/committer.ts";
import { keys } from "../storage/keys.ts";
import type { System } from "../system.ts";
import {
  type AddressWindows as StoredWindows,
  countResume,
  fullWindow,
  type ResumeCount,
} from "./count_request.ts";
import type { Limits } from "./limits.ts";
import type { WindowLeft } from "./rate_window.ts";
import { LimitError } from "./refusal.ts";

/** What is decided by the windows of an address alone, whoever it speaks for. */
export class AddressWindows {
  readonly #committer: Committer;
  readonly #system: Pick<System, "now">;

  constructor(committer: Committer, system: Pick<System, "now">) {
    this.#committer = committer;
    this.#system = system;
  }

  /** Throws the 429 of an address whose window is known to be full, without any work. */
  refuseFlood(
    address: string,
    { limits, scope = "ip" }: { limits: Limits; scope?: "ip" | "ip_resume" },
  ): void {
    const windows = this.#committer.peek<StoredWindows>(keys.addressWindows(address));
    const refused = fullWindow(windows, { now: this.#system.now(), limits, scope });
    if (refused !== undefined) throw new LimitError(refused);
  }

  /** Counts one resumed stream of an address. Throws the 429 when it has resumed too many. */
  async countResume(
    resume: { address: string; id: number; limits: Limits },
  ): Promise<{ ip_resume: WindowLeft }> {
    const decided = await this.#committer.run<ResumeCount>({
      keys: [keys.addressWindows(resume.address)],
      decide: (draft) => {
        const count = countResume(draft, { ...resume, now: this.#system.now() });
        if ("left" in count) count.note();
        return count;
      },
      isFinal: (count) => "refused" in count,
    });
    if ("refused" in decided) throw new LimitError(decided.refused);
    return decided.left;
  }
}
