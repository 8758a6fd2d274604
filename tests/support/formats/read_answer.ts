import type { LoggedFrame } from "@/lib/chat/log/run_log.ts";
import { RunProgress } from "@/lib/http/encoders/run_progress.ts";
import { toolErrorText } from "@/lib/http/encoders/tool_error_text.ts";

/** A tool call with its result: the output, or the text of an error. */
export interface ReadTool {
  name: string;
  args: unknown;
  output?: unknown;
  error?: string;
}

/** What a client of any format knows of an answer. */
export interface ReadAnswer {
  text: string;
  tools: ReadTool[];
  /** The reason that it finished, or `failed:` with the code of its error. */
  end: string;
}

/** What a client shows of a call that the run did not wait for. */
const UNANSWERED = "the run ended before the tool answered";

/** The answer in the frames themselves. */
export function readNative(
  { runId, frames }: { runId: string; frames: readonly LoggedFrame[] },
  { mayBeEmpty = false }: { mayBeEmpty?: boolean } = {},
): ReadAnswer {
  const run = new RunProgress(runId);
  const answer: ReadAnswer = { text: "", tools: [], end: "" };
  const open: ReadTool[] = [];
  for (const logged of frames) {
    run.record(logged);
    const { frame } = logged;
    if (frame.type === "delta") answer.text += frame.text;
    if (frame.type === "tool_call") {
      const tool: ReadTool = { name: frame.name, args: frame.args };
      answer.tools.push(tool);
      open.push(tool);
    }
    if (frame.type === "tool_result") {
      const at = open.findIndex(({ name }) => name === frame.name);
      const error = toolErrorText(frame);
      Object.assign(
        open.splice(at, 1)[0]!,
        error === undefined ? { output: frame.output } : { error },
      );
    }
    if (frame.type !== "done") continue;
    const outcome = run.outcomeOf(frame, { mayBeEmpty });
    answer.end = outcome.kind === "failed" ? `failed:${outcome.error.code}` : outcome.reason;
  }
  for (const tool of open) tool.error = UNANSWERED;
  return answer;
}
