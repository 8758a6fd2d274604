import type { FrameOf } from "../../schemas/frames.ts";

/** The error in a tool's result; `undefined` if the call succeeded. */
export function toolErrorText({ output }: FrameOf<"tool_result">): string | undefined {
  const { error } = Object(output);
  if (typeof error !== "object" || error === null) return undefined;
  const { code, message } = error as Record<string, unknown>;
  return typeof message === "string" ? message : String(code ?? "the call failed");
}
