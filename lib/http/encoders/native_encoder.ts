import type { LoggedFrame } from "../../chat/log/run_log.ts";
import type { StreamEncoder } from "./stream_encoder.ts";

/** The frames themselves, each with its id. Source: specification section 6, CONTRACT section 6. */
export class NativeEncoder implements StreamEncoder {
  readonly opening = "retry: 1500\n\n";
  readonly resumes = true;
  readonly #runId: string;

  constructor(runId: string) {
    this.#runId = runId;
  }

  encode(frame: LoggedFrame): string {
    return encodeFrame(this.#runId, frame);
  }
}

export function encodeFrame(runId: string, { n, frame }: LoggedFrame): string {
  return `id: ${runId}.${n}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
}
