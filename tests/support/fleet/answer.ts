import { type DecodedFrame, FrameDecoder } from "@/lib/schemas/frame_decoder.ts";

/** The outcome of one message: a run whose frames are read as they arrive, or a rejection. */
export interface Answer {
  /** `200`, or the status and the limit's scope or error code. */
  readonly outcome: string;
  /** Of a run. */
  readonly runId: string;
  /** The frames so far. */
  readonly frames: readonly DecodedFrame[];
  /** Type of the last frame, once the stream ends or is cut. */
  readonly ended: Promise<string>;
}

let addresses = 0;

/** Returns an address that no other request uses. */
export function nextAddress(): string {
  const n = ++addresses;
  return `10.${n >> 16 & 255}.${n >> 8 & 255}.${n & 255}`;
}

/** Reads the response to a message; a stream is read in the background. */
export async function readAnswer(response: Response): Promise<Answer> {
  const runId = response.headers.get("x-run-id") ?? "";
  const frames: DecodedFrame[] = [];
  if (response.status === 200) {
    return { outcome: "200", runId, frames, ended: readStream(response, frames) };
  }
  const { code, details } = await response.json();
  const outcome = `${response.status} ${details?.scope ?? code}`;
  return { outcome, runId, frames, ended: Promise.resolve("refused") };
}

async function readStream(response: Response, frames: DecodedFrame[]): Promise<string> {
  const decoder = new FrameDecoder();
  try {
    for await (const chunk of response.body!) frames.push(...decoder.push(chunk));
  } catch {
    // Its process was killed.
  }
  return frames.at(-1)?.type ?? "nothing";
}

/** How many answers had each outcome. */
export function outcomes(answers: readonly { outcome: string }[]): Record<string, number> {
  const all = Map.groupBy(answers, ({ outcome }) => outcome);
  return Object.fromEntries([...all].map(([outcome, those]) => [outcome, those.length]));
}

/** The runs among answers. */
export function admitted(answers: readonly Answer[]): Answer[] {
  return answers.filter(({ outcome }) => outcome === "200");
}

/** The last frame of each run, once all have ended. */
export async function endsOf(runs: readonly Answer[]): Promise<Record<string, number>> {
  const ends = await Promise.all(runs.map(async ({ ended, frames }) => {
    await ended;
    const last = frames.at(-1)?.data;
    return { outcome: last?.type === "done" ? last.finishReason : "cut" };
  }));
  return outcomes(ends);
}
