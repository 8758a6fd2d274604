import { takeFromWindow, type WindowStamps } from "../billing/rate_window.ts";
import { LimitError } from "../billing/limit_error.ts";
import type { Egress } from "../egress/egress.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { Agent } from "../schemas/agent.ts";
import type { DoctorReport } from "../schemas/doctor.ts";
import { normalizeOrigin } from "../schemas/origins.ts";
import type { SessionStore } from "../store/credentials/session_store.ts";
import { keys } from "../store/keys/keys.ts";
import type { ScriptReleaseStore } from "../store/script_release_store.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import {
  checkClock,
  checkContentPolicy,
  checkIntegrity,
  checkMixedContent,
  checkOrigin,
  checkTag,
  checkToken,
} from "./checks.ts";
import {
  createDiagnosticContext,
  createFinding,
  type EmbedConfig,
  embedSnippets,
} from "./diagnostic_context.ts";
import { fetchPage } from "./fetch_page.ts";

/** Per tenant, because every call may fetch a page from someone else's server. */
const RATE_LIMIT = { limit: 6, windowMs: 60_000 };

interface DoctorDeps {
  egress: Pick<Egress, "open">;
  committer: Pick<GroupCommitter, "run">;
  releases: Pick<ScriptReleaseStore, "find">;
  sessions: Pick<SessionStore, "find">;
  runtime: Pick<Runtime, "now">;
  embed: EmbedConfig;
  signal: AbortSignal;
}

/** Finds out why a widget does not appear on a page, or does not answer. */
export class Doctor {
  #deps: DoctorDeps;

  constructor(deps: DoctorDeps) {
    this.#deps = deps;
  }

  /** Checks one embed of an agent. Throws `LimitError` on a tenant's seventh call in a minute. */
  async diagnose(
    tenant: string,
    agent: Agent,
    request: { origin: string; tag?: string | undefined },
  ): Promise<DoctorReport> {
    await this.#limitRate(tenant);
    const { egress, runtime, signal, embed, releases, sessions } = this.#deps;
    const origin = normalizeOrigin(request.origin);
    const originAllowed = origin !== undefined && (agent.allowedOrigins ?? []).includes(origin);
    const page = originAllowed
      ? await fetchPage(origin, { egress, tenant, runtime, signal })
      : undefined;
    const { tag } = request;
    const embedded = { tenant, agent, origin, originAllowed, page, tag, embed };
    const context = createDiagnosticContext(embedded);
    const findings = [
      createFinding("origin", checkOrigin(context)),
      createFinding("tag", checkTag(context)),
      createFinding("mixed_content", checkMixedContent(context)),
      createFinding("csp", checkContentPolicy(context)),
      createFinding("integrity", await checkIntegrity(context, releases)),
      createFinding("token", await checkToken(context, sessions)),
      createFinding("clock", checkClock(context, runtime.now())),
    ];
    return { findings, lines: embedSnippets(context) };
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
