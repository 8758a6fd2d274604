/**
 * Incremental Server-Sent Events decoding, for browsers and servers alike.
 * Source of the rules: https://html.spec.whatwg.org/multipage/server-sent-events.html
 * Only types are imported from the schemas: zod is larger than the whole widget.
 */
import type { Frame } from "./frames.ts";

/** A dispatched event. `id` is "" until the stream has sent one. */
export type SseEvent = { readonly id: string; readonly type: string; readonly data: string };

/** A frame of the chat protocol; `type` equals `data.type`. */
export interface DecodedFrame {
  readonly id: string;
  readonly type: Frame["type"];
  readonly data: Frame;
}

/**
 * Decodes chunks of an event stream. A chunk may end anywhere, even inside a UTF-8 character or between
 * CR and LF. An incomplete event at the end of the stream is never dispatched.
 */
export class SseDecoder {
  #utf8 = new TextDecoder();
  #partial = "";
  #afterCr = false;
  #id = "";
  #type = "";
  #data: string[] = [];

  push(chunk: Uint8Array | string): SseEvent[] {
    let text = typeof chunk === "string" ? chunk : this.#utf8.decode(chunk, { stream: true });
    const events: SseEvent[] = [];
    if (text === "") return events;
    // A CR ends its line immediately: waiting for a possible LF would delay the last event.
    if (this.#afterCr) text = text.replace(/^\n/, "");
    this.#afterCr = text.endsWith("\r");
    const lines = (this.#partial + text).split(/\r\n?|\n/);
    this.#partial = lines.pop()!;
    for (const line of lines) {
      // A comment, which the server sends as a heartbeat, is a field without a name.
      const [, name, value = ""] = /^([^:]*):? ?(.*)/s.exec(line)!;
      if (name === "data") this.#data.push(value);
      else if (name === "event") this.#type = value;
      else if (name === "id" && !value.includes("\0")) this.#id = value;
      else if (line === "") {
        const [id, type, data] = [this.#id, this.#type || "message", this.#data.join("\n")];
        if (this.#data.length > 0) events.push({ id, type, data });
        this.#type = "";
        this.#data = [];
      }
    }
    return events;
  }
}

/** Typed as a record so that a missing frame type does not compile. */
const KNOWN_TYPES: Record<Frame["type"], true> = {
  start: true,
  delta: true,
  tool_call: true,
  tool_result: true,
  usage: true,
  error: true,
  done: true,
};

/** Parses an event as a frame; undefined for unknown types and invalid JSON. */
export function parseFrame(event: SseEvent): DecodedFrame | undefined {
  try {
    const data = JSON.parse(event.data);
    if (typeof data !== "object" || !Object.hasOwn(KNOWN_TYPES, data?.type)) return undefined;
    return { id: event.id, type: data.type, data };
  } catch {
    return undefined;
  }
}

export class FrameDecoder {
  #sse = new SseDecoder();

  push(chunk: Uint8Array | string): DecodedFrame[] {
    return this.#sse.push(chunk).map(parseFrame).filter((frame) => frame !== undefined);
  }
}
