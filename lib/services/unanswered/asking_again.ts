import { SEARCH_KNOWLEDGE } from "../../agent/tools/search_knowledge_tool.ts";
import { RecordedToolCalls } from "../../chat/trial/recorded_tool_calls.ts";
import type { TrialResult } from "../../chat/trial/trial_answer.ts";
import type { TrialJob } from "../../chat/trial/trial_job.ts";
import { cutText } from "../../platform/cut_text.ts";
import { firstFitting } from "../../platform/first_fitting.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Agent } from "../../schemas/agent.ts";
import { UNANSWERED_BOUNDS } from "../../schemas/unanswered.ts";
import type { AgentStore } from "../../store/agents/agent_store.ts";
import type { ConversationStore } from "../../store/conversations/conversation_store.ts";
import type { OwnConversationStore } from "../../store/conversations/own_conversation_store.ts";
import type { AskedAgainStore } from "../../store/unanswered/asked_again_store.ts";
import type { UnansweredQuestion } from "../../store/unanswered/unanswered_store.ts";
import { answerSources } from "../answer_sources.ts";
import { readRecordedRun, type RecordedRun } from "../rehearsals/recorded_runs.ts";
import { namesOfServerTools } from "../rehearsals/replay_run.ts";

/** A stored answer is one value of at most 64 KiB. */
const MAX_WORDS_BYTES = 48 * 1024;
/** In UTF-16 units. */
const MAX_TEXT = 8_000;
const SHORTER_TEXTS = [4_000, 1_000] as const;
const MAX_SOURCES = 10;
const MAX_TITLE = 120;

interface AskingAgainDeps {
  agents: Pick<AgentStore, "getVersion">;
  conversations: ConversationStore;
  own: Pick<OwnConversationStore, "find">;
  marks: AskedAgainStore;
  runtime: Pick<Runtime, "now">;
}

/** The latest questions of a group in different words. */
export function questionsToAsk(questions: readonly UnansweredQuestion[]): UnansweredQuestion[] {
  const different = [...Map.groupBy(questions, ({ question }) => question.trim().toLowerCase())]
    .map(([, [latest]]) => latest!);
  return different.slice(0, UNANSWERED_BOUNDS.askedAgain);
}

/** Asks an agent the questions of a group again, and notes whether the new document helped. */
export class AskingAgain {
  readonly #deps: AskingAgainDeps;
  readonly #tenant: string;
  readonly #agent: Agent;
  readonly #documentId: string;

  constructor(
    deps: AskingAgainDeps,
    { tenant, agent, documentId }: { tenant: string; agent: Agent; documentId: string },
  ) {
    this.#deps = deps;
    this.#tenant = tenant;
    this.#agent = agent;
    this.#documentId = documentId;
  }

  /** `marked` is the run that the group's mark belongs to. */
  async run(
    job: TrialJob,
    { questions, marked }: { questions: readonly UnansweredQuestion[]; marked: string },
  ): Promise<void> {
    const helped = await Promise.all(questions.map(({ runId }) => this.#ask(runId, job)));
    const asked = helped.filter((one) => one !== undefined);
    const isAnswered = asked.length > 0 && 2 * asked.filter(Boolean).length >= asked.length;
    const at = this.#deps.runtime.now();
    await this.#deps.marks.setMark({ tenant: this.#tenant, runId: marked }, (mark) => {
      if (mark?.documentId !== this.#documentId) return undefined;
      return { ...mark, state: isAnswered ? "answered" : "written", at };
    });
  }

  /** True if the document helped; `undefined` if the question could not be asked. */
  async #ask(runId: string, job: TrialJob): Promise<boolean | undefined> {
    const run = await this.#read(runId);
    if (run === undefined || job.signal.aborted) return undefined;
    const { record, transcript: { tools, text: before }, messages, visitorId } = run;
    const recordedBy = await this.#deps.agents
      .getVersion(this.#tenant, record.agentId, record.agentVersion);
    const names = namesOfServerTools(tools, { agent: this.#agent, recordedBy });
    const result = await job.run({
      ...{ agent: this.#agent, messages, tools: new RecordedToolCalls(tools, { names }) },
      ...visitorId !== undefined && { visitor: { id: visitorId, variables: {} } },
    });
    if (result === undefined || result.finishReason === "cancelled") return undefined;
    const { coverage, finishReason, cost } = result;
    const foundDocument = this.#findsDocument(result);
    const sources = sourcesOf(result);
    const sized = (max: number) => ({
      before: cutText(before, 0, max),
      after: cutText(result.text, 0, max),
      sources,
    });
    await this.#deps.marks.add({ tenant: this.#tenant, runId }, {
      ...{ v: 1, at: this.#deps.runtime.now(), foundDocument, finishReason, cost },
      ...coverage !== undefined && { coverage },
      exp: record.exp ?? this.#deps.runtime.now(),
      words: firstFitting([sized(MAX_TEXT), ...SHORTER_TEXTS.map(sized)], MAX_WORDS_BYTES),
    });
    return foundDocument && coverage === "enough" && finishReason === "stop";
  }

  async #read(runId: string): Promise<RecordedRun | undefined> {
    const { conversations, own } = this.#deps;
    const record = (await conversations.readRunRecords(this.#tenant, [runId])).get(runId);
    const { page, n } = record ?? {};
    if (record === undefined || page === undefined || n === undefined) return undefined;
    const { agentId, conversationId: id, endedAt } = record;
    const name = { tenant: this.#tenant, id, agentId, page };
    const conversation = await own.find(name);
    return conversation &&
      await readRecordedRun(conversations, { name, n, runId, endedAt }, conversation);
  }

  #findsDocument({ calls }: TrialResult): boolean {
    return calls.some(({ name, output }) => {
      const passages: unknown = name === SEARCH_KNOWLEDGE && Object(output).passages;
      return Array.isArray(passages) &&
        passages.some((passage) => Object(passage).documentId === this.#documentId);
    });
  }
}

function sourcesOf({ text, calls }: TrialResult): string[] {
  const titles = answerSources(text, calls).map(({ title }) => cutText(title, 0, MAX_TITLE));
  return [...new Set(titles)].slice(0, MAX_SOURCES);
}
