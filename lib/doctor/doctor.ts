import { takeFromWindow, type WindowStamps } from "../billing/rate_window.ts";
import { LimitError } from "../billing/limit_error.ts";
import type { Egress } from "../egress/egress.ts";
import type { Agent } from "../schemas/agent.ts";
import { DOCTOR_CHECKS, type DoctorReport } from "../schemas/doctor.ts";
import { normalizeOrigin } from "../schemas/origins.ts";
import { keys } from "../store/keys/keys.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import { type CheckDeps, CHECKS } from "./checks.ts";
import {
  createDiagnosticContext,
  createFinding,
  type EmbedConfig,
  embedSnippets,
} from "./diagnostic_context.ts";
import { fetchPage } from "./fetch_page.ts";

/** Per tenant, because every call may fetch a page from someone else's server. */
const RATE_LIMIT = { limit: 6, windowMs: 60_000 };

interface DoctorDeps extends CheckDeps {
  egress: Pick<Egress, "open">;
  committer: Pick<GroupCommitter, "run">;
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
    const { egress, runtime, signal, embed } = this.#deps;
    const origin = normalizeOrigin(request.origin);
    const originAllowed = origin !== undefined && (agent.allowedOrigins ?? []).includes(origin);
    const page = originAllowed
      ? await fetchPage(origin, { egress, tenant, runtime, signal })
      : undefined;
    const { tag } = request;
    const embedded = { tenant, agent, origin, originAllowed, page, tag, embed };
    const context = createDiagnosticContext(embedded);
    const findings = await Array.fromAsync(
      DOCTOR_CHECKS,
      async (check) => createFinding(check, await CHECKS[check](context, this.#deps)),
    );
    return { findings, lines: embedSnippets(context) };
  }

  async #limitRate(tenant: string): Promise<void> {
    const key = keys.doctorWindow(tenant);
    const { committer, runtime } = this.#deps;
    const result = await committer.run({
      keys: [key],
      decide: (draft) => {
        const stamps = draft.get<{ all: WindowStamps }>(key)?.all ?? [];
        const taken = takeFromWindow({ stamps }, { now: runtime.now(), rule: RATE_LIMIT });
        const expireIn = 2 * RATE_LIMIT.windowMs;
        if (taken.admitted) draft.set(key, { v: 1, all: taken.times.stamps }, { expireIn });
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
