import type { TrialJob } from "../../chat/trial/trial_job.ts";
import type { TrialJobs } from "../../chat/trial/trial_jobs.ts";
import { LimitError } from "../../billing/limit_error.ts";
import { toMicroUsd, toUsd } from "../../billing/micro_usd.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import type { Agent } from "../../schemas/agent.ts";
import { ApiError, parseOrThrow } from "../../schemas/api_error.ts";
import {
  newRehearsalSchema,
  type Rehearsal,
  REHEARSAL_BOUNDS,
  type RehearsalReport,
  type RehearsedRun,
} from "../../schemas/rehearsal.ts";
import { recordChange } from "../../store/audit/audit_record.ts";
import type { AgentStore } from "../../store/agents/agent_store.ts";
import type { ConversationStore } from "../../store/conversations/conversation_store.ts";
import type { OwnConversationStore } from "../../store/conversations/own_conversation_store.ts";
import type { RunSource } from "../../store/runs/run_record.ts";
import type { RehearsalRecord } from "../../store/trials/rehearsal_record.ts";
import type { RehearsalStore, StoredRehearsedRun } from "../../store/trials/rehearsal_store.ts";
import type { Page, PageRequest } from "../../store/values/page.ts";
import type { CursorSigner } from "../cursor_signer.ts";
import { Rehearsing } from "./rehearsing.ts";
import { findRecordedRuns } from "./recorded_runs.ts";

const DAY_MS = 86_400_000;

interface RehearsalsDeps {
  kv: Deno.Kv;
  agents: Pick<AgentStore, "get" | "getVersion">;
  conversations: ConversationStore;
  own: Pick<OwnConversationStore, "find">;
  /** Micro-USD that the tenant may spend in a day. */
  dailyLimitOf: (tenant: string) => Promise<number>;
  store: RehearsalStore;
  jobs: TrialJobs;
  cursors: CursorSigner;
  runtime: Runtime;
}

type RehearsalName = { tenant: string; agentId: string; id: string };

/** Replays of an agent's runs on another version. Methods throw `ApiError`. */
export class Rehearsals {
  readonly #deps: RehearsalsDeps;

  constructor(deps: RehearsalsDeps) {
    this.#deps = deps;
  }

  /**
   * Sets the budget aside and begins in the background. 404 without the agent or the version, 429
   * `plan_limit_exceeded` if the tenant's day does not have the money.
   */
  async start(
    { tenant, agentId, source }: Omit<RehearsalName, "id"> & { source: RunSource },
    body: unknown,
  ): Promise<Rehearsal> {
    const { jobs, runtime, store } = this.#deps;
    const wanted = parseOrThrow(newRehearsalSchema, body);
    const agent = await this.#findVersion({ tenant, agentId }, wanted.version);
    const names = await findRecordedRuns(this.#deps.conversations, { tenant, agentId, ...wanted });
    const budget = toMicroUsd(wanted.budgetUsd);
    const now = runtime.now();
    const record: RehearsalRecord = {
      ...{ v: 1, id: runtime.uuid(), agentId, version: agent.version, only: wanted.only },
      ...{ state: "running", runs: names.length, done: 0, changed: 0, changedSources: 0 },
      ...{ differingCalls: 0, failed: 0, budget, createdAt: now },
      before: { cost: 0, latencyMs: 0 },
      after: { cost: 0, latencyMs: 0 },
      exp: now + REHEARSAL_BOUNDS.days * DAY_MS,
    };
    await this.#create(tenant, { record, agent });
    const rehearsing = new Rehearsing(this.#deps, { tenant, agent, record, names });
    const job = { id: record.id, source, amount: budget };
    const started = await jobs.start(tenant, job, (one: TrialJob) => rehearsing.run(one));
    if (!started) {
      await store.delete({ tenant, agentId, id: record.id });
      throw new LimitError({
        scope: "tenant_daily_cost",
        limit: toUsd(await this.#deps.dailyLimitOf(tenant)),
        retryAfterMs: DAY_MS - runtime.now() % DAY_MS,
      });
    }
    return toRehearsal(record);
  }

  /** Newest first. */
  async list(
    { tenant, agentId }: Omit<RehearsalName, "id">,
    page: PageRequest,
  ): Promise<Page<Rehearsal>> {
    await this.#findVersion({ tenant, agentId }, undefined);
    const { cursors, store } = this.#deps;
    const list = `rehearsals ${tenant} ${agentId}`;
    const load = (opened: PageRequest) => store.list({ tenant, agentId }, opened);
    const { data, ...rest } = await cursors.page(page, { list, load });
    const shown = data.map((record) => this.#toShown(tenant, record));
    return { ...rest, data: await Promise.all(shown) };
  }

  /** A rehearsal with a page of its replayed runs. */
  async get(name: RehearsalName, page: PageRequest): Promise<RehearsalReport> {
    const { cursors, store } = this.#deps;
    const { tenant, id } = name;
    const record = await store.find(name) ?? notFound();
    // Before the results, so that those of one that has ended are all there.
    const shown = await this.#toShown(tenant, record);
    const { data, nextCursor } = await cursors.page(page, {
      list: `rehearsal ${tenant} ${id}`,
      load: async ({ limit, cursor }) => {
        const { runs, next } = await store.runs(name, { limit, from: Number(cursor ?? 0) });
        const results = runs.map(toRehearsedRun);
        return next === undefined ? { data: results } : { data: results, nextCursor: String(next) };
      },
    });
    return { ...shown, results: data, ...nextCursor !== undefined && { nextCursor } };
  }

  /** Ends it after the answers that are being made; nothing happens to one that has ended. */
  async stop(name: RehearsalName): Promise<void> {
    await this.#deps.store.find(name) ?? notFound();
    await this.#deps.jobs.stop(name.tenant, name.id);
  }

  /** Stops and deletes it. */
  async delete(name: RehearsalName): Promise<void> {
    await this.stop(name);
    if (!await this.#deps.store.delete(name)) notFound();
  }

  async #findVersion(
    { tenant, agentId }: Omit<RehearsalName, "id">,
    version: number | undefined,
  ): Promise<Agent> {
    const { agents } = this.#deps;
    const found = version === undefined
      ? await agents.get(tenant, agentId)
      : await agents.getVersion(tenant, agentId, version);
    if (found !== undefined) return found;
    throw new ApiError("not_found", "there is no such agent, or not in this version");
  }

  async #create(
    tenant: string,
    { record, agent }: { record: RehearsalRecord; agent: Agent },
  ): Promise<void> {
    const { kv, runtime, store } = this.#deps;
    await store.create(tenant, record);
    const step = kv.atomic();
    recordChange(step, runtime, {
      ...{ tenant, kind: "agent", action: "rehearse", target: { id: agent.id, name: agent.name } },
      after: { version: record.version, runs: record.runs, budgetUsd: toUsd(record.budget) },
    });
    await step.commit();
  }

  async #toShown(tenant: string, record: RehearsalRecord): Promise<Rehearsal> {
    if (record.state !== "running") return toRehearsal(record);
    if (await this.#deps.jobs.isRunning(tenant, record.id)) return toRehearsal(record);
    // It may have ended since it was read.
    const { agentId, id } = record;
    const last = await this.#deps.store.find({ tenant, agentId, id }) ?? record;
    const shown = toRehearsal(last);
    return last.state === "running" ? { ...shown, state: "interrupted" } : shown;
  }
}

function toRehearsal(record: RehearsalRecord): Rehearsal {
  const { v: _v, budget, before, after, createdAt, endedAt, exp, ...fields } = record;
  const toSum = ({ cost, latencyMs }: RehearsalRecord["before"]) => ({
    costUsd: toUsd(cost),
    latencyMs,
  });
  return {
    ...fields,
    before: toSum(before),
    after: toSum(after),
    budgetUsd: toUsd(budget),
    createdAt: isoTime(createdAt),
    ...endedAt !== undefined && { endedAt: isoTime(endedAt) },
    expiresAt: isoTime(exp),
  };
}

function toRehearsedRun({ run, words }: StoredRehearsedRun): RehearsedRun {
  const { v: _v, sealed: _s, exp: _e, before, after, ...fields } = run;
  const none = { text: "", calls: [], sources: [] };
  return {
    ...fields,
    question: words?.question ?? "",
    ...words === undefined && { unreadable: true as const },
    before: { ...words?.before ?? none, ...before },
    after: { ...words?.after ?? none, ...after },
  };
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such rehearsal");
}
