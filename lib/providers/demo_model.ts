import type { Runtime } from "../platform/runtime.ts";
import { exampleOfSchema } from "./example_of_schema.ts";
import type { Model, ModelEvent, ModelMessage, ModelRequest, ModelStream } from "./model.ts";

/** Delay between two words, so that the answer visibly streams. */
const WORD_DELAY_MS = 24;
const QUOTE_LENGTH = 280;
const PASSAGE_LENGTH = 600;
const SEARCH_TOOL = "search_knowledge";
/** Of a guardrail's classifier; a test keeps them alike. */
const CLASSIFIER_PROMPT = /exactly one word: BLOCK .*\n\nPolicy:\n([^]*)$/;
const FOLLOW_UP_TOOL = "suggest_follow_ups";
const REMEMBER_TOOL = "remember";
/** Characters of the question that a follow-up quotes. */
const FOLLOW_UP_LENGTH = 60;
const REASONING = "I am the demo model, so I only pretend to reason: I repeat the question.";

const FINISHING = "My budget for this answer is nearly used up, so I finish with what I have.";

/**
 * The embedded demo model: deterministic, free and without an API key, so that a new installation works
 * at once. It quotes the question, searches the agent's knowledge base if there is one, calls a tool on
 * request (`use <tool> with {json}`, or `use <tool> 3 times with {json}`), remembers what it is asked
 * to (`remember that …`) and suggests two follow-up questions if the agent allows it, and says so when it
 * has to finish. It ends before a stop sequence, answers JSON for a response schema, and pretends to reason
 * with a reasoning effort. As a classifier it blocks texts with a word that the policy quotes.
 */
export class DemoModel implements Model {
  #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  // deno-lint-ignore require-await -- the interface is asynchronous
  async stream(request: ModelRequest): Promise<ModelStream> {
    request.signal.throwIfAborted();
    return { read: (onEvent) => this.#answer(request, onEvent) };
  }

  async #answer(request: ModelRequest, onEvent: (event: ModelEvent) => void): Promise<void> {
    const inputTokens = estimateTokens(request.system + JSON.stringify(request.messages));
    const verdict = verdictOf(request);
    if (verdict !== undefined) {
      onEvent({ type: "text", text: verdict });
      onEvent({ type: "usage", inputTokens, outputTokens: 1 });
      return onEvent({ type: "end", reason: "stop" });
    }
    const call = requestedToolCall(request);
    if (call !== undefined) {
      onEvent({ type: "tool_call", call });
      onEvent({ type: "usage", inputTokens, outputTokens: estimateTokens(call.name + call.args) });
      onEvent({ type: "end", reason: "tool_calls" });
      return;
    }
    const reasoning = request.reasoningEffort && composeReasoning(request);
    const reasoningTokens = reasoning === undefined ? 0 : countWords(reasoning);
    const isForced = request.toolChoice === "none" && request.responseSchema === undefined;
    const text = (isForced ? `${FINISHING} ` : "") + composeAnswer(request);
    const words = untilStop(text, request.stopSequences).match(/\S+\s*/g) ?? [];
    // A word counts as a token, so that output limits are exact.
    const shown = words.slice(0, Math.max(1, request.maxOutputTokens - reasoningTokens));
    for (const [n, text] of shown.entries()) {
      if (n > 0) await this.#runtime.sleep(WORD_DELAY_MS, request.signal);
      onEvent({ type: "text", text });
    }
    const followUps = followUpCall(request);
    const callTokens = followUps === undefined
      ? 0
      : estimateTokens(followUps.name + followUps.args);
    const outputTokens = reasoningTokens + words.length + callTokens;
    const thought = reasoning === undefined ? {} : { reasoningTokens };
    if (followUps !== undefined && outputTokens <= request.maxOutputTokens) {
      onEvent({ type: "tool_call", call: followUps });
      onEvent({ type: "usage", inputTokens, outputTokens, ...thought });
      return onEvent({ type: "end", reason: "tool_calls" });
    }
    const counted = Math.min(reasoningTokens + shown.length, request.maxOutputTokens);
    onEvent({ type: "usage", inputTokens, outputTokens: counted, ...thought });
    onEvent({
      type: "end",
      reason: shown.length < words.length ? "length" : "stop",
      ...reasoning !== undefined && { reasoning },
    });
  }
}

/** Never more than half of the output, so that an answer follows. */
function composeReasoning({ reasoningEffort, maxOutputTokens }: ModelRequest): string | undefined {
  const text = `${REASONING} My effort is ${reasoningEffort}.`;
  return maxOutputTokens < 2 * countWords(text) ? undefined : text;
}

function countWords(text: string): number {
  return text.split(" ").length;
}

function untilStop(text: string, stopSequences: readonly string[] = []): string {
  const ends = stopSequences.map((one) => text.indexOf(one)).filter((at) => at >= 0);
  return text.slice(0, Math.min(text.length, ...ends));
}

/** Its answer as a classifier; `undefined` for any other request. */
function verdictOf({ system, messages }: ModelRequest): "BLOCK" | "ALLOW" | undefined {
  const policy = CLASSIFIER_PROMPT.exec(system)?.[1];
  if (policy === undefined) return undefined;
  const last = messages.at(-1);
  const text = last?.role === "user" ? last.content.toLowerCase() : "";
  const quoted = Array.from(
    policy.matchAll(/[“"]([^”"]+)[”"]/g),
    ([, word]) => word!.toLowerCase(),
  );
  return quoted.some((word) => text.includes(word)) ? "BLOCK" : "ALLOW";
}

function requestedToolCall({ messages, tools, toolChoice }: ModelRequest) {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const question = messages[asked];
  if (toolChoice === "none" || question?.role !== "user") return undefined;
  const id = `demo_${messages.length}`;
  const results = messages.slice(asked).filter(({ role }) => role === "tool").length;
  const { name, args, times } = readRequest(question.content) ?? {};
  if (name !== undefined && args !== undefined) {
    return results < Number(times ?? 1) ? { id, name, args } : undefined;
  }
  const fact = /\bremember that\s+(.{1,200})/i.exec(question.content)?.[1];
  if (results === 0 && fact !== undefined && tools.some(({ name }) => name === REMEMBER_TOOL)) {
    return { id, name: REMEMBER_TOOL, args: JSON.stringify({ fact: fact.toWellFormed() }) };
  }
  const searches = results === 0 && tools.some((tool) => tool.name === SEARCH_TOOL);
  return searches
    ? { id, name: SEARCH_TOOL, args: JSON.stringify({ query: question.content.slice(0, 500) }) }
    : undefined;
}

/** Finds `use <tool> with {json}` in a message, with an optional number of times. */
function readRequest(text: string): Record<string, string | undefined> | undefined {
  const asked =
    /\buse\s+(?<name>[A-Za-z][\w-]*)\s+(?:(?<times>\d{1,2})\s+times\s+)?with\s+(?<args>\{[\s\S]*\})/i;
  return asked.exec(text)?.groups;
}

/** Two follow-up questions about the question, unless they were suggested since it was asked. */
function followUpCall({ tools, messages, toolChoice }: ModelRequest) {
  if (toolChoice === "none") return undefined;
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const isSuggested = messages.slice(asked)
    .some((message) => message.role === "tool" && message.name === FOLLOW_UP_TOOL);
  if (isSuggested || !tools.some(({ name }) => name === FOLLOW_UP_TOOL)) return undefined;
  const question = messages[asked]?.role === "user" ? messages[asked].content : "";
  const about = truncate(question.replace(/\s+/g, " "), FOLLOW_UP_LENGTH).toWellFormed();
  const questions = [`Can you say more about “${about}”?`, `“${about}”, in one sentence?`];
  const args = JSON.stringify({ questions });
  return { id: `demo_${messages.length}_follow_ups`, name: FOLLOW_UP_TOOL, args };
}

function composeAnswer({ messages, responseSchema }: ModelRequest): string {
  const answer = composeText(messages);
  if (responseSchema === undefined) return answer;
  return JSON.stringify(exampleOfSchema(responseSchema, truncate(answer)));
}

function composeText(messages: readonly ModelMessage[]): string {
  const last = messages.at(-1);
  if (last?.role === "tool") {
    const sourced = last.name === SEARCH_TOOL ? answerFromPassages(last.output) : undefined;
    return sourced ?? `The tool ${last.name} answered: ${truncate(JSON.stringify(last.output))}`;
  }
  const question = messages.findLast((message) => message.role === "user");
  const { content: asked = "", images = [] } = question ?? {};
  const turn = messages.filter((message) => message.role === "user").length;
  const opening = turn === 1
    ? "Hello! I am the demo model: I come with the service, cost nothing and know nothing."
    : `Still the demo model here, and this is message ${turn} of our conversation.`;
  const seen = images.length === 0
    ? ""
    : ` I got ${images.length} of your images, and see nothing.`;
  return `${opening} You asked: “${truncate(asked)}”${seen}\n\n` +
    "Every word of this answer travelled the way a real model's would: through the same agent, " +
    "limits, accounting and stream. Connect a provider and pick one of its models to hear " +
    "something new.";
}

/** Quotes the best passage with its source; `undefined` if the search failed. */
function answerFromPassages(output: unknown): string | undefined {
  const { passages } = (output ?? {}) as { passages?: FoundPassage[] };
  if (passages === undefined) return undefined;
  const [best] = passages;
  if (best === undefined) {
    return "I am the demo model. I looked into the knowledge base, and found nothing that fits.";
  }
  const source = [best.title, ...best.headingPath].join(" › ");
  return "I am the demo model, so I only quote what I found in the knowledge base. It says:\n\n" +
    `“${truncate(best.text, PASSAGE_LENGTH)}”\n\nSource: ${source}`;
}

type FoundPassage = { title: string; headingPath: string[]; text: string };

function truncate(text: string, length = QUOTE_LENGTH): string {
  const flat = text.trim();
  return flat.length <= length ? flat : `${flat.slice(0, length)}…`;
}

function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
