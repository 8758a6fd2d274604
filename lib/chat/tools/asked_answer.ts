import type { AgentEvent, AgentOutcome } from "../../agent/agent_run_options.ts";
import type { AgentAnswer } from "../../agent/tools/ask_agent_tool.ts";
import { ToolError } from "../../agent/tools/tool_error.ts";
import { cutText } from "../../platform/cut_text.ts";
import { ModelError } from "../../providers/model.ts";
import { AGENT_TOOL_BOUNDS } from "../../schemas/limits.ts";
import type { RunUsage } from "../cost/run_usage.ts";

/** Collects what an asked agent says and calls. It has no frames; its usage is the run's. */
export class AskedAnswer {
  /** The names of the tools that it called. */
  readonly calls: string[] = [];
  readonly #usage: Pick<RunUsage, "countStep" | "addTokens">;
  /** Of each step. */
  readonly #texts = [""];
  #numbered = 0;

  constructor(usage: Pick<RunUsage, "countStep" | "addTokens">) {
    this.#usage = usage;
  }

  /** Calls and results are numbered as frames are, so that each call has a number of its own. */
  readonly onEvent = (event: AgentEvent): number | void => {
    switch (event.type) {
      case "step":
        this.#usage.countStep(event);
        return void this.#texts.push("");
      case "text":
        return void (this.#texts[this.#texts.length - 1] += event.text);
      case "usage":
        return this.#usage.addTokens(event);
      case "tool_call":
        this.calls.push(event.name);
        return ++this.#numbered;
      case "tool_result":
        return void this.#numbered++;
      case "reasoning":
        return;
      default:
        event satisfies never;
    }
  };

  /** Throws a `ToolError` if the agent said nothing. */
  end({ finishReason, error }: AgentOutcome): AgentAnswer {
    // What a model says before its calls is a paragraph of the answer.
    const text = this.#texts.filter((one) => one.trim() !== "").join("\n\n");
    if (text === "") throw unreachable(error?.message ?? "the agent gave no answer");
    const answer = cutText(text, 0, AGENT_TOOL_BOUNDS.answerLength);
    if (answer.length < text.length) return { answer, incomplete: "too_long" };
    return finishReason === "stop" ? { answer } : { answer, incomplete: finishReason };
  }
}

export function toToolError(error: unknown): unknown {
  return error instanceof ModelError
    ? unreachable(`the agent's model cannot answer (${error.code})`)
    : error;
}

export function unreachable(message: string): ToolError {
  return new ToolError("tool_unreachable", message);
}
