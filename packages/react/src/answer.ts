/** How frames change the messages. */
import type { Frame } from "@agent-chat/client";
import type { AgentMessage, ToolCall } from "./mod.d.ts";

type Messages = readonly AgentMessage[];

/** The answer to the last question, or undefined while there is none. */
export function currentAnswer(messages: Messages): AgentMessage | undefined {
  const last = messages.at(-1);
  return last?.role === "assistant" ? last : undefined;
}

export function dropAnswer(messages: Messages): Messages {
  return currentAnswer(messages) ? messages.slice(0, -1) : messages;
}

/** A question to be asked again: what comes before it, its text, and its last run. */
export interface AskedQuestion {
  readonly before: Messages;
  readonly text: string;
  readonly runId: string | undefined;
}

/** The question with this id or index, or the last one; `undefined` if there is none. */
export function findQuestion(
  messages: Messages,
  target: string | number = dropAnswer(messages).length - 1,
): AskedQuestion | undefined {
  const at = typeof target === "number" ? target : messages.findIndex(({ id }) => id === target);
  const [question, answer] = messages.slice(at < 0 ? messages.length : at);
  if (question?.role !== "user") return undefined;
  // Messages that an earlier version has stored name the run by their answer only.
  const runId = question.runId ?? (answer?.role === "assistant" ? answer.id : undefined);
  return { before: messages.slice(0, at), text: question.text, runId };
}

/** Sets the run of the last question. */
function withRun(messages: Messages, runId: string): Messages {
  const at = messages.findLastIndex(({ role }) => role === "user");
  return messages.map((message, index) => index === at ? { ...message, runId } : message);
}

/** Changes the answer, which begins with this change if there is none yet. `id` is the run's. */
export function changeAnswer(
  messages: Messages,
  { id, change }: { id: string; change: (answer: AgentMessage) => Partial<AgentMessage> },
): Messages {
  const answer = currentAnswer(messages) ?? { id, role: "assistant", text: "", tools: [] };
  return [...dropAnswer(messages), { ...answer, ...change(answer) }];
}

/** The messages after a frame. Types that later versions of the service add change nothing. */
export function applyFrame(messages: Messages, frame: Frame, position: string): Messages {
  const [id = "", n] = position.split(".");
  switch (frame.type) {
    case "start":
      // Each frame arrives once, so this is another run, which starts its answer over.
      return withRun(dropAnswer(messages), frame.runId);
    case "delta":
      return changeAnswer(messages, { id, change: ({ text }) => ({ text: text + frame.text }) });
    case "tool_call": {
      const { name, args } = frame;
      return changeAnswer(messages, {
        id,
        change: ({ tools }) => ({ tools: [...tools, { n: Number(n), name, args }] }),
      });
    }
    case "tool_result":
      return changeAnswer(messages, {
        id,
        change: ({ tools }) => ({ tools: withOutput(tools, frame) }),
      });
    default:
      return messages;
  }
}

/** A result that names no call belongs to the first one without a result: they run one after the other. */
function withOutput(
  tools: readonly ToolCall[],
  { name, output, call }: { name: string; output: unknown; call?: number | undefined },
): readonly ToolCall[] {
  const at = tools.findIndex((tool) =>
    call === undefined ? tool.name === name && !("output" in tool) : tool.n === call
  );
  return tools.map((tool, index) => index === at ? { ...tool, output } : tool);
}
