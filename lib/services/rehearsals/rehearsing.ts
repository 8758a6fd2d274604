import type { TrialJob } from "../../chat/trial/trial_job.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { AgentStore } from "../../store/agents/agent_store.ts";
import type { ConversationStore } from "../../store/conversations/conversation_store.ts";
import type { OwnConversationStore } from "../../store/conversations/own_conversation_store.ts";
import type { RehearsalRecord } from "../../store/trials/rehearsal_record.ts";
import type { RehearsalStore } from "../../store/trials/rehearsal_store.ts";
import { readRecordedRun, type RecordedRun, type RecordedRunName } from "./recorded_runs.ts";
import { type ReplayedRun, replayRun } from "./replay_run.ts";

/** Replays at the same time. */
const CONCURRENCY = 4;

interface RehearsingDeps {
  agents: Pick<AgentStore, "getVersion">;
  conversations: ConversationStore;
  own: Pick<OwnConversationStore, "find">;
  store: Pick<RehearsalStore, "addRun" | "update">;
  runtime: Pick<Runtime, "now">;
}

/** One rehearsal while it runs. */
export class Rehearsing {
  readonly #deps: RehearsingDeps;
  readonly #tenant: string;
  readonly #agent: Agent;
  readonly #names: RecordedRunName[];
  #record: RehearsalRecord;
  /** Replays are stored one after the other, each with the sums up to it. */
  #stored: Promise<void> = Promise.resolve();
  #next = 0;
  #isOutOfBudget = false;
  #isDeleted = false;

  constructor(deps: RehearsingDeps, { tenant, agent, record, names }: {
    tenant: string;
    agent: Agent;
    record: RehearsalRecord;
    names: RecordedRunName[];
  }) {
    this.#deps = deps;
    this.#tenant = tenant;
    this.#agent = agent;
    this.#record = record;
    this.#names = names;
  }

  async run(job: TrialJob): Promise<void> {
    const worker = async () => {
      while (!job.signal.aborted && !this.#isOutOfBudget && this.#next < this.#names.length) {
        await this.#replay(this.#next++, job);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    await this.#stored;
    const state = this.#isOutOfBudget ? "out_of_budget" : job.signal.aborted ? "stopped" : "done";
    const endedAt = this.#deps.runtime.now();
    // With what was spent on answers that were stopped.
    const after = { ...this.#record.after, cost: job.spent };
    await this.#deps.store.update(this.#tenant, { ...this.#record, state, endedAt, after });
  }

  async #replay(n: number, job: TrialJob): Promise<void> {
    const run = await this.#read(this.#names[n]!);
    if (run === undefined) return;
    const { agentId, agentVersion } = run.record;
    const recordedBy = await this.#deps.agents.getVersion(this.#tenant, agentId, agentVersion);
    const replayed = await replayRun(run, { agent: this.#agent, recordedBy, job });
    if (replayed === undefined) this.#isOutOfBudget ||= !job.signal.aborted;
    else await (this.#stored = this.#stored.then(() => this.#add(n, { run, replayed, job })));
  }

  async #read(name: RecordedRunName): Promise<RecordedRun | undefined> {
    const { conversations, own } = this.#deps;
    const found = await own.find(name.name);
    return found && await readRecordedRun(conversations, name, found);
  }

  async #add(
    n: number,
    { run: { record: run }, replayed, job }: {
      run: RecordedRun;
      replayed: ReplayedRun;
      job: TrialJob;
    },
  ): Promise<void> {
    const { question, before, after } = replayed;
    this.#record = withReplay(this.#record, replayed);
    const { text: a, calls: b, sources: c, ...shownBefore } = before;
    const { text: d, calls: e, sources: f, ...shownAfter } = after;
    const { runId, conversationId, agentVersion } = run;
    const isStored = await this.#deps.store.addRun(this.#tenant, {
      record: this.#record,
      n,
      run: {
        ...{ v: 1, runId, conversationId, agentVersion, before: shownBefore, after: shownAfter },
        exp: Math.min(this.#record.exp, run.exp ?? Infinity),
      },
      words: {
        question,
        before: { text: a, calls: b, sources: c },
        after: { text: d, calls: e, sources: f },
      },
    });
    if (!isStored) job.abort();
  }
}

function withReplay(record: RehearsalRecord, replayed: ReplayedRun): RehearsalRecord {
  const { before, after, cost } = replayed;
  return {
    ...record,
    done: record.done + 1,
    changed: record.changed + (replayed.isChanged ? 1 : 0),
    changedSources: record.changedSources + (replayed.hasOtherSources ? 1 : 0),
    differingCalls: record.differingCalls + replayed.differingCalls,
    failed: record.failed + (after.finishReason === "error" ? 1 : 0),
    before: {
      cost: record.before.cost + cost.before,
      latencyMs: record.before.latencyMs + before.latencyMs,
    },
    after: {
      cost: record.after.cost + cost.after,
      latencyMs: record.after.latencyMs + after.latencyMs,
    },
  };
}
