import type { LoggedFrame } from "../../chat/log/run_log.ts";
import { completionFacts, completionUsage, OPENAI_FINISH_REASONS } from "./openai_chat_encoder.ts";

/** The completion of a run that has ended, in one object. Source: package `openai` 7. */
export function chatCompletion(
  runId: string,
  { model, frames }: { model: string; frames: readonly LoggedFrame[] },
): object {
  let content = "";
  let usage = undefined;
  let finishReason = undefined;
  for (const { frame } of frames) {
    if (frame.type === "delta") content += frame.text;
    else if (frame.type === "usage") usage = frame;
    else if (frame.type === "done") finishReason = frame.finishReason;
  }
  return {
    ...completionFacts(runId),
    object: "chat.completion",
    model,
    choices: [{
      index: 0,
      message: { role: "assistant", content, refusal: null },
      logprobs: null,
      finish_reason: OPENAI_FINISH_REASONS[finishReason ?? "stop"],
    }],
    usage: completionUsage(usage),
    agent_finish_reason: finishReason,
  };
}
