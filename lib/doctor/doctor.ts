import type { Egress } from "../egress/egress.ts";
import type { Committer } from "../store/tx/committer.ts";
import { takeFromWindow, type WindowStamps } from "../billing/rate_window.ts";
import { LimitError } from "../billing/refusal.ts";
import { keys } from "../store/keys/keys.ts";
import type { ScriptReleaseStore } from "../store/script_release_store.ts";
import type { SessionStore } from "../store/credentials/session_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { Agent } from "../schemas/agent.ts";
import type { DoctorReport } from "../schemas/doctor.ts";
import { normalizeOrigin } from "../schemas/origins.ts";
import { checkClock, checkOrigin, checkPolicy } from "./check_page.ts";
import { checkMixedContent, checkTag } from "./check_tag.ts";
import { checkIntegrity } from "./check_integrity.ts";
import { checkToken } from "./check_token.ts";
import { type EmbedAddresses, embedLines } from "./embed_lines.ts";
import { fetchPage } from "./fetch_page.ts";
import { type Case, caseOf, finding } from "./case.ts";

const RULE = { limit: 6, windowMs: 60_000 };

export interface DoctorParts {
  egress: Pick<Egress, "open">;
  committer: Pick<Committer, "run">;
  releases: Pick<ScriptReleaseStore, "find">;
  sessions: Pick<SessionStore, "find">;
  runtime: Pick<Runtime, "now">;
  /** Current facts for the lines to paste. */
  addresses: EmbedAddresses;
  signal: AbortSignal;
}

/** Tells why a widget does not show, or does not answer, on a page. */
export class Doctor {
  #parts: DoctorParts;

  constructor(parts: DoctorParts) {
    this.#parts = parts;
  }

  /**
   * Looks at one embed. Whoever may mint for the agent may ask: 6 times a minute and tenant, since a
   * page of somebody else's server is fetched for it. Throws the 429.
   */
  async examine(
    tenant: string,
    agent: Agent,
    asked: { origin: string; tag?: string | undefined },
  ): Promise<DoctorReport> {
    await this.#count(tenant);
    const { egress, runtime, signal, addresses } = this.#parts;
    const origin = normalizeOrigin(asked.origin);
    const listed = origin !== undefined && (agent.allowedOrigins ?? []).includes(origin);
    const page = listed ? await fetchPage(origin, { egress, tenant, runtime, signal }) : undefined;
    const known = caseOf({ tenant, agent, origin, listed, page, tag: asked.tag, addresses });
    return { findings: await this.#findings(known), lines: embedLines(known) };
  }

  async #findings(known: Case): Promise<DoctorReport["findings"]> {
    const { releases, sessions, runtime } = this.#parts;
    return [
      finding("origin", checkOrigin(known)),
      finding("tag", checkTag(known)),
      finding("mixed_content", checkMixedContent(known)),
      finding("csp", checkPolicy(known)),
      finding("integrity", await checkIntegrity(known, releases)),
      finding("token", await checkToken(known, sessions)),
      finding("clock", checkClock(known, runtime.now())),
    ];
  }

  async #count(tenant: string): Promise<void> {
    const key = keys.doctorWindow(tenant);
    const { committer, runtime } = this.#parts;
    const result = await committer.run({
      keys: [key],
      decide: (draft) => {
        const stamps = draft.get<{ all: WindowStamps }>(key)?.all ?? [];
        const taken = takeFromWindow(stamps, { now: runtime.now(), rule: RULE });
        const expireIn = 2 * RULE.windowMs;
        if (taken.admitted) draft.set(key, { v: 1, all: taken.stamps }, { expireIn });
        return taken;
      },
    });
    if (result.admitted) return;
    const { retryAfterMs } = result;
    throw new LimitError({ scope: "key", limit: RULE.limit, windowSeconds: 60, retryAfterMs });
  }
}
