import { z } from "zod";
import { type Frame, frameSchema } from "../../schemas/frames.ts";

/** Stands for what the transcript has anyway: arguments and outputs of tools. */
const ELSEWHERE = null;

/**
 * The frames of an answer without the words that the transcript has: for a `delta` the length of its text in
 * UTF-16 units, and any other frame without the arguments or the output of a tool.
 */
export const frameLayoutSchema = z.array(z.union([z.int().nonnegative(), frameSchema]));
export type FrameLayout = z.infer<typeof frameLayoutSchema>;

interface Answer {
  text: string;
  /** In the order of their calls. */
  tools: readonly { args: unknown; output?: unknown }[];
  layout?: FrameLayout | undefined;
}

export function layoutOf(frames: readonly Frame[]): FrameLayout {
  return frames.map((frame) => {
    if (frame.type === "delta") return frame.text.length;
    if (frame.type === "tool_call") return { ...frame, args: ELSEWHERE };
    if (frame.type === "tool_result") return { ...frame, output: ELSEWHERE };
    return frame;
  });
}

/** The frames that a stored answer was made of; `undefined` if its layout was not stored. */
export function framesOf({ text, tools, layout }: Answer): Frame[] | undefined {
  if (layout === undefined) return undefined;
  let at = 0;
  let calls = 0;
  /** The tool of each frame that is a call. */
  const byNumber = new Map<number, Answer["tools"][number] | undefined>();
  return layout.map((part, i): Frame => {
    if (typeof part === "number") {
      at += part;
      return { type: "delta", text: text.slice(at - part, at) };
    }
    if (part.type === "tool_call") {
      const tool = tools[calls++];
      byNumber.set(i + 1, tool);
      return { ...part, args: (tool?.args ?? null) as never };
    }
    if (part.type === "tool_result") {
      const tool = byNumber.get(part.call ?? 0) ?? tools[calls - 1];
      return { ...part, output: (tool?.output ?? null) as never };
    }
    return part;
  });
}
