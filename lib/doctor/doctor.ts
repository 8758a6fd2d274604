import type { Egress } from "../egress/egress.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import { takeFromWindow, type WindowStamps } from "../billing/rate_window.ts";
import { LimitError } from "../billing/limit_error.ts";
import { keys } from "../store/keys/keys.ts";
import type { ScriptReleaseStore } from "../store/script_release_store.ts";
import type { SessionStore } from "../store/credentials/session_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { Agent } from "../schemas/agent.ts";
import type { DoctorReport } from "../schemas/doctor.ts";
import { normalizeOrigin } from "../schemas/origins.ts";
import { checkClock, checkContentPolicy, checkOrigin } from "./check_page.ts";
import { checkIntegrity, checkMixedContent, checkTag, checkToken } from "./check_tag.ts";
import { type EmbedConfig, embedSnippets } from "./embed_snippets.ts";
import { fetchPage } from "./fetch_page.ts";
import {
  createDiagnosticContext,
  createFinding,
  type DiagnosticContext,
} from "./diagnostic_context.ts";

const RATE_LIMIT = { limit: 6, windowMs: 60_000 };

export interface DoctorDeps {
  egress: Pick<Egress, "open">;
  committer: Pick<GroupCommitter, "run">;
  releases: Pick<ScriptReleaseStore, "find">;
  sessions: Pick<SessionStore, "find">;
  runtime: Pick<Runtime, "now">;
  /** Current facts for the lines to paste. */
  embed: EmbedConfig;
  signal: AbortSignal;
}

/** Tells why a widget does not show, or does not answer, on a page. */
export class Doctor {
  #deps: DoctorDeps;

  constructor(parts: DoctorDeps) {
    this.#deps = parts;
  }

  /**
   * Looks at one embed. Whoever may mint for the agent may ask: 6 times a minute and tenant, since a
   * page of somebody else's server is fetched for it. Throws the 429.
   */
  async diagnose(
    tenant: string,
    agent: Agent,
    asked: { origin: string; tag?: string | undefined },
  ): Promise<DoctorReport> {
    await this.#limitRate(tenant);
    const { egress, runtime, signal, embed } = this.#deps;
    const origin = normalizeOrigin(asked.origin);
    const listed = origin !== undefined && (agent.allowedOrigins ?? []).includes(origin);
    const page = listed ? await fetchPage(origin, { egress, tenant, runtime, signal }) : undefined;
    const known = createDiagnosticContext({
      tenant,
      agent,
      origin,
      originAllowed: listed,
      page,
      tag: asked.tag,
      embed,
    });
    return { findings: await this.#findings(known), lines: embedSnippets(known) };
  }

  async #findings(known: DiagnosticContext): Promise<DoctorReport["findings"]> {
    const { releases, sessions, runtime } = this.#deps;
    return [
      createFinding("origin", checkOrigin(known)),
      createFinding("tag", checkTag(known)),
      createFinding("mixed_content", checkMixedContent(known)),
      createFinding("csp", checkContentPolicy(known)),
      createFinding("integrity", await checkIntegrity(known, releases)),
      createFinding("token", await checkToken(known, sessions)),
      createFinding("clock", checkClock(known, runtime.now())),
    ];
  }

  async #limitRate(tenant: string): Promise<void> {
    const key = keys.doctorWindow(tenant);
    const { committer, runtime } = this.#deps;
    const result = await committer.run({
      keys: [key],
      decide: (draft) => {
        const stamps = draft.get<{ all: WindowStamps }>(key)?.all ?? [];
        const taken = takeFromWindow(stamps, { now: runtime.now(), rule: RATE_LIMIT });
        const expireIn = 2 * RATE_LIMIT.windowMs;
        if (taken.admitted) draft.set(key, { v: 1, all: taken.stamps }, { expireIn });
        return taken;
      },
    });
    if (result.admitted) return;
    const { retryAfterMs } = result;
    throw new LimitError({
      scope: "key",
      limit: RATE_LIMIT.limit,
      windowSeconds: 60,
      retryAfterMs,
    });
  }
}
