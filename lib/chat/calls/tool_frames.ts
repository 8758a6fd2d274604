import type { AgentEvent } from "../../agent/agent_run_options.ts";
import { isoTime } from "../../platform/runtime.ts";
import type { FrameOf } from "../../schemas/frames.ts";

type EventOf<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

export function toCallFrame(
  { name, args, progress, title, held }: EventOf<"tool_call">,
): FrameOf<"tool_call"> {
  return {
    ...{ type: "tool_call", name, args: args as never },
    ...progress !== undefined && { progress },
    ...title !== undefined && { title },
    ...held !== undefined && {
      ...{ pending: true, waitsFor: held.waitsFor, expiresAt: isoTime(held.expiresAt) },
    },
  };
}

export function toResultFrame(
  { name, output, call }: EventOf<"tool_result">,
): FrameOf<"tool_result"> {
  const of = call === undefined ? {} : { call };
  return { type: "tool_result", name, output: output as never, ...of };
}
