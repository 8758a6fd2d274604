import { ServerSentEventParseStream } from "@std/http/server-sent-event-parse-stream";
import { type Frame, frameSchema } from "@/lib/schemas/frames.ts";

/** A frame as received. */
export interface ReceivedFrame {
  id: string | undefined;
  frame: Frame;
}

/** Every frame of a stream, validated by the protocol's schema. */
export async function readFrames(response: Response): Promise<ReceivedFrame[]> {
  const received: ReceivedFrame[] = [];
  const events = response.body!.pipeThrough(new ServerSentEventParseStream());
  for await (const event of events) {
    if (event.data === undefined) continue;
    const frame = frameSchema.parse(JSON.parse(String(event.data)));
    if (event.event !== frame.type) throw new Error(`event ${event.event} holds a ${frame.type}`);
    received.push({ id: event.id === undefined ? undefined : String(event.id), frame });
  }
  return received;
}

/** The text that a client would show. */
export function textOf(frames: readonly ReceivedFrame[]): string {
  return frames.map(({ frame }) => (frame.type === "delta" ? frame.text : "")).join("");
}
