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

/** Changes the answer, which begins with this change if there is none yet. `id` is the run's. */
export function changeAnswer(
  messages: Messages,
  { id, change }: { id: string; change: (answer: AgentMessage) => Partial<AgentMessage> },
): Messages {
  const answer = currentAnswer(messages) ?? { id, role: "assistant", text: "", tools: [] };
  return [...dropAnswer(messages), { ...answer, ...change(answer) }];
}

/** The messages after a frame. Types that later versions of the service add change nothing. */
export function applyFrame(messages: Messages, frame: Frame, id: string): Messages {
  switch (frame.type) {
    case "start":
      // Each frame arrives once, so this is another run, which starts its answer over.
      return dropAnswer(messages);
    case "delta":
      return changeAnswer(messages, { id, change: ({ text }) => ({ text: text + frame.text }) });
    case "tool_call": {
      const { name, args } = frame;
      return changeAnswer(messages, {
        id,
        change: ({ tools }) => ({ tools: [...tools, { name, args }] }),
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

/** Tools run one after the other, so the result belongs to the first call without one. */
function withOutput(
  tools: readonly ToolCall[],
  { name, output }: { name: string; output: unknown },
): readonly ToolCall[] {
  const at = tools.findIndex((tool) => tool.name === name && !("output" in tool));
  return tools.map((tool, index) => index === at ? { ...tool, output } : tool);
}
