import type { TrialJob } from "../../chat/trial/trial_job.ts";
import type { TrialJobs } from "../../chat/trial/trial_jobs.ts";
import { LimitError } from "../../billing/limit_error.ts";
import { toMicroUsd, toUsd } from "../../billing/micro_usd.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import { dayOf } from "../../platform/utc_day.ts";
import { ApiError, parseOrThrow, validationError } from "../../schemas/api_error.ts";
import type { GapReason } from "../../schemas/gap_reasons.ts";
import type { Document } from "../../schemas/knowledge.ts";
import {
  UNANSWERED_BOUNDS,
  type UnansweredGroup,
  type UnansweredReport,
  type UnansweredState,
  writtenAnswerSchema,
} from "../../schemas/unanswered.ts";
import type { AgentStore } from "../../store/agents/agent_store.ts";
import type { ConversationStore } from "../../store/conversations/conversation_store.ts";
import type { OwnConversationStore } from "../../store/conversations/own_conversation_store.ts";
import type { RunSource } from "../../store/runs/run_record.ts";
import type { AskedAgain, AskedAgainStore } from "../../store/unanswered/asked_again_store.ts";
import type { UnansweredMark } from "../../store/unanswered/asked_again_record.ts";
import type { UnansweredStore } from "../../store/unanswered/unanswered_store.ts";
import type { Page, PageRequest } from "../../store/values/page.ts";
import type { CommitStep } from "../../store/values/record.ts";
import type { CursorSigner } from "../cursor_signer.ts";
import type { KnowledgeService } from "../knowledge_service.ts";
import { AskingAgain, questionsToAsk } from "./asking_again.ts";
import { QuestionGrouper } from "./group_questions.ts";
import type { QuestionMeanings } from "./question_meanings.ts";
import {
  byFrequency,
  describeGroup,
  describeGroups,
  type QuestionGroup,
  toGroups,
} from "./unanswered_groups.ts";

const DAY_MS = 86_400_000;

interface UnansweredDeps {
  agents: Pick<AgentStore, "get" | "getServed" | "getVersion">;
  conversations: ConversationStore;
  own: Pick<OwnConversationStore, "find">;
  knowledge: Pick<KnowledgeService, "get" | "addDocument" | "getDocument">;
  questions: UnansweredStore;
  marks: AskedAgainStore;
  /** Without an embedding model questions are grouped by their words only. */
  meanings: Pick<QuestionMeanings, "vectorsOf"> | undefined;
  jobs: Pick<TrialJobs, "start" | "isRunning" | "requireRoom">;
  cursors: CursorSigner;
  /** Micro-USD that the tenant may spend in a day. */
  dailyLimitOf: (tenant: string) => Promise<number>;
  runtime: Runtime;
}

/** Which groups are listed; days are inclusive. */
export interface UnansweredFilter {
  agentId?: string | undefined;
  reason?: GapReason | undefined;
  /** By default those that are open, or whose answer has not been tried. */
  state?: UnansweredState | "all" | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Any run of the group, whose agent must be among `agents` if these are given. */
type GroupName = { tenant: string; runId: string; agents?: readonly string[] | undefined };

/** Groups of questions that were not answered well. Methods throw `ApiError`. */
export class Unanswered {
  readonly #deps: UnansweredDeps;
  readonly #grouper = new QuestionGrouper();

  constructor(deps: UnansweredDeps) {
    this.#deps = deps;
  }

  /** The most frequent first. Only the questions of the wanted days and reason are counted. */
  list(
    tenant: string,
    filter: UnansweredFilter,
    page: PageRequest,
  ): Promise<Page<UnansweredGroup>> {
    return this.#deps.cursors.page(page, {
      list: `unanswered ${tenant} ${JSON.stringify(filter)}`,
      load: async ({ limit, cursor }) => {
        const groups = (await this.#groups(tenant, filter)).filter(({ state }) =>
          hasState(state, filter.state)
        );
        const from = Number(cursor ?? 0);
        const data = await describeGroups(groups.slice(from, from + limit));
        const next = from + limit;
        return { data, ...next < groups.length && { nextCursor: String(next) } };
      },
    });
  }

  /** The group that has this run, with its latest questions. */
  async get(name: GroupName): Promise<UnansweredReport> {
    const { tenant } = name;
    let group = await this.#find(name);
    const { jobId } = group.mark?.mark ?? {};
    const asking = jobId !== undefined && await this.#deps.jobs.isRunning(tenant, jobId);
    // A job that has ended may have changed the state since it was read.
    if (jobId !== undefined && !asking) group = await this.#find(name);
    const shown = group.questions.slice(0, UNANSWERED_BOUNDS.shown);
    const again = await this.#deps.marks.find(tenant, shown.map((one) => one.runId));
    return {
      ...await describeGroup(group),
      asking,
      questions: shown.map(({ exp: _e, agentId: _a, at, ...question }, n) => ({
        ...question,
        at: isoTime(at),
        ...again[n] !== undefined && { again: toAskedAgain(again[n]) },
      })),
    };
  }

  /** Hides the group until there are new questions. */
  async dismiss(name: GroupName): Promise<void> {
    await this.#mark(name.tenant, await this.#find(name), { state: "dismissed" });
  }

  /** Stores an answer as a document; 400 without a base. `commit` may extend the transaction that does so. */
  async answer(
    name: GroupName,
    body: unknown,
    options: { commit?: CommitStep<Document> | undefined } = {},
  ): Promise<Document> {
    const { title, content, knowledgeBaseId } = parseOrThrow(writtenAnswerSchema, body);
    const { agents, knowledge } = this.#deps;
    const { tenant } = name;
    const group = await this.#find(name);
    const agent = await agents.get(tenant, group.agentId);
    const base = knowledgeBaseId ?? agent?.knowledgeBaseId;
    if (base === undefined) {
      throw validationError([{
        path: "knowledgeBaseId",
        code: "required",
        message: "is required: the agent has no knowledge base",
      }]);
    }
    await knowledge.get(tenant, base);
    const bytes = new TextEncoder().encode(content);
    const upload = { title, mediaType: "text/markdown" as const, bytes };
    const document = await knowledge.addDocument({ tenant, base }, upload, options);
    await this.#mark(tenant, group, {
      ...{ state: "written", knowledgeBaseId: base, documentId: document.id },
    });
    return document;
  }

  /**
   * Asks the version that visitors get the latest different questions again, in the background. 404 without
   * a written answer, 429 if the tenant's day does not have the money.
   */
  async askAgain(name: GroupName & { source: RunSource }): Promise<void> {
    const { agents, jobs, knowledge, runtime } = this.#deps;
    const { tenant, source } = name;
    const group = await this.#find(name);
    const { knowledgeBaseId: base, documentId: id, jobId } = group.mark?.mark ?? {};
    if (base === undefined || id === undefined) {
      throw new ApiError("not_found", "no answer was written for these questions");
    }
    if (jobId !== undefined && await jobs.isRunning(tenant, jobId)) return;
    await jobs.requireRoom(tenant);
    await knowledge.getDocument({ tenant, base, id });
    const agent = await agents.getServed(tenant, group.agentId) ?? notFound();
    const questions = questionsToAsk(group.questions);
    const job = {
      ...{ id: runtime.uuid(), source },
      amount: questions.length * toMicroUsd(agent.budget.maxCostUsd),
    };
    const marked = group.mark!.runId;
    const asking = new AskingAgain(this.#deps, { tenant, agent, documentId: id });
    // The job ends with the group's state, so it must be known before.
    await this.#deps.marks.setMark(
      { tenant, runId: marked },
      (mark) => mark && { ...mark, jobId: job.id },
    );
    const work = (one: TrialJob) => asking.run(one, { questions, marked });
    if (!await jobs.start(tenant, job, work)) {
      throw new LimitError({
        scope: "tenant_daily_cost",
        limit: toUsd(await this.#deps.dailyLimitOf(tenant)),
        retryAfterMs: DAY_MS - runtime.now() % DAY_MS,
      });
    }
  }

  async #find({ tenant, runId, agents }: GroupName): Promise<QuestionGroup> {
    const has = ({ agentId, questions }: QuestionGroup) =>
      (agents?.includes(agentId) ?? true) && questions.some((one) => one.runId === runId);
    return (await this.#groups(tenant, {})).find(has) ?? notFound();
  }

  async #groups(
    tenant: string,
    { agentId, reason, from, to }: UnansweredFilter,
  ): Promise<QuestionGroup[]> {
    const [all, marks] = await Promise.all([
      this.#deps.questions.list(tenant),
      this.#deps.marks.marks(tenant),
    ]);
    const ofAgent = all.filter((one) => agentId === undefined || one.agentId === agentId);
    const isWanted = ({ at, reasons }: typeof all[number]) =>
      (reason === undefined || reasons.includes(reason)) &&
      (from === undefined || dayOf(at) >= from) && (to === undefined || dayOf(at) <= to);
    const { meanings } = this.#deps;
    // Grouped before they are filtered, so that a group is the same with every filter.
    return (await toGroups(ofAgent, { tenant, marks, meanings, grouper: this.#grouper }))
      .map((group) => ({ ...group, questions: group.questions.filter(isWanted) }))
      .filter(({ questions }) => questions.length > 0)
      .sort(byFrequency);
  }

  async #mark(
    tenant: string,
    { agentId, questions }: QuestionGroup,
    change: Pick<UnansweredMark, "state" | "knowledgeBaseId" | "documentId">,
  ): Promise<void> {
    const [latest] = questions;
    const at = Math.max(this.#deps.runtime.now(), latest!.at);
    const { exp } = latest!;
    await this.#deps.marks.setMark({ tenant, runId: latest!.runId }, () => ({
      ...{ v: 1, agentId, ...change, at, exp },
    }));
  }
}

function hasState(state: UnansweredState, wanted: UnansweredFilter["state"]): boolean {
  if (wanted === "all") return true;
  return wanted === undefined ? state === "open" || state === "written" : state === wanted;
}

function toAskedAgain({ record, words }: AskedAgain) {
  const { coverage, foundDocument, finishReason, cost, at } = record;
  return {
    ...words ?? { before: "", after: "", sources: [] },
    ...coverage !== undefined && { coverage },
    ...{ foundDocument, finishReason, costUsd: toUsd(cost), at: isoTime(at) },
  };
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such unanswered question");
}
