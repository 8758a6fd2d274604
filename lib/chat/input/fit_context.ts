import { type ContextWindow, maxPromptBytes } from "../../agent/context_window.ts";
import { fitMessages } from "../../agent/fit_step.ts";
import type { ModelMessage } from "../../providers/model.ts";

/**
 * Drops the oldest turns until prompt, tools, messages and a short answer fit into `contextTokens`. The
 * answer is shortened before turns are dropped. The last message always stays, and the rest begins with
 * a user message, as providers require.
 */
export function fitContext(
  messages: readonly ModelMessage[],
  { otherBytes, ...window }: ContextWindow & { otherBytes: number },
): { messages: readonly ModelMessage[]; dropped: number } {
  const bytes = maxPromptBytes(window) - otherBytes;
  const { keepsHead } = window;
  const { dropped } = fitMessages(messages, { bytes, question: messages.length - 1, keepsHead });
  return { messages: messages.slice(dropped), dropped };
}
