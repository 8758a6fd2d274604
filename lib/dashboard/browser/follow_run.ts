import type { Frame, FrameOf } from "@/lib/schemas/frames.ts";

/** What a running answer shows so far. */
export interface LiveText {
  text: string;
  /** The tool that is running, or "". */
  tool: string;
  /** The call that waits for a person. */
  asked: AskedCall | undefined;
  /** The stream ended before the answer did. */
  isLost: boolean;
}

/** A tool call that a person may approve. */
export interface AskedCall {
  /** Its number in the run. */
  n: number;
  name: string;
  args: unknown;
  /** ISO time. */
  expiresAt: string;
}

export const NO_TEXT: LiveText = { text: "", tool: "", asked: undefined, isLost: false };

const EVENTS = ["delta", "tool_call", "tool_result", "done"] as const;

/** Follows the frames of a run of any process. Returns a function that stops it. */
export function followRun(
  runId: string,
  { onChange, onEnd }: { onChange: (live: LiveText) => void; onEnd: () => void },
): () => void {
  const source = new EventSource(`/conversations/runs/${runId}/stream`);
  let live = NO_TEXT;
  const change = (next: Partial<LiveText>) => onChange(live = { ...live, ...next });
  const onFrame = ({ data, lastEventId }: MessageEvent<string>) => {
    const frame = JSON.parse(data) as Frame;
    if (frame.type === "delta") change({ text: live.text + frame.text });
    if (frame.type === "tool_call") {
      change({ tool: frame.name, asked: askedBy(frame, lastEventId) });
    }
    if (frame.type === "tool_result") change({ tool: "", asked: undefined });
    if (frame.type !== "done") return;
    source.close();
    onEnd();
  };
  for (const event of EVENTS) source.addEventListener(event, onFrame);
  // The browser reconnects by itself, unless the server said that there is nothing left.
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) change({ isLost: true });
  });
  return () => source.close();
}

function askedBy(
  { name, title = name, args, waitsFor, expiresAt = "" }: FrameOf<"tool_call">,
  id: string,
): AskedCall | undefined {
  if (waitsFor !== "person") return undefined;
  return { n: Number(id.slice(id.indexOf(".") + 1)), name: title, args, expiresAt };
}
