import { assert, assertEquals } from "@std/assert";
import type { HandoffStatus } from "@/lib/schemas/handoff.ts";
import { feedFrameSchema } from "@/lib/schemas/handoff.ts";
import { SseDecoder } from "@/lib/schemas/frame_decoder.ts";
import { readFrames } from "./frames.ts";
import type { TestService } from "./service.ts";
import { onPage, ORIGIN, say } from "./widget_calls.ts";

/** The setting of an agent that offers everything. */
export const HANDOFF = {
  enabled: true,
  by: ["model", "visitor"],
  message: "A colleague will answer soon.",
  form: true,
};

export interface FeedEvent {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

/** A feed as a client reads it; its events are validated by the schema. */
export class FeedReader implements AsyncDisposable {
  readonly status: number;
  #events: FeedEvent[] = [];
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #decoder = new SseDecoder();
  #isOver = false;

  constructor(response: Response) {
    this.status = response.status;
    this.#reader = response.body?.getReader();
  }

  /** The next event; `undefined` once the stream has ended. */
  async next(): Promise<FeedEvent | undefined> {
    while (this.#events.length === 0 && !this.#isOver) {
      const { done, value } = await this.#reader!.read();
      if (done) this.#isOver = true;
      else {
        this.#events.push(
          ...this.#decoder.push(value).map(({ id, type, data }) => {
            return { id, type, data: JSON.parse(data) };
          }),
        );
      }
    }
    return this.#events.shift();
  }

  /** The next frame of a visitor's feed, without its id. */
  async frame(): Promise<unknown> {
    const event = await this.next();
    return event && feedFrameSchema.parse(event.data);
  }

  /** All frames until the stream ends. */
  async rest(): Promise<FeedEvent[]> {
    const all: FeedEvent[] = [];
    for (let event = await this.next(); event; event = await this.next()) all.push(event);
    return all;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader?.cancel().catch(() => {});
  }
}

/** A visitor on the page of an agent, with a session. */
export class Visitor {
  readonly service: TestService;
  readonly agent: { id: string };
  readonly sessionToken: string;
  id = "";

  constructor(service: TestService, of: { agent: { id: string }; sessionToken: string }) {
    this.service = service;
    this.agent = of.agent;
    this.sessionToken = of.sessionToken;
  }

  /** The same visitor on another service of the store. */
  on(service: TestService): Visitor {
    const same = new Visitor(service, this);
    same.id = this.id;
    return same;
  }

  /** Sends a message and reads its frames. */
  async say(content: string, earlier: { role: string; content: string }[] = []) {
    const body = {
      messages: [...earlier, say(content)],
      ...this.id !== "" && { conversationId: this.id },
    };
    const response = await onPage(this.service, { ...this, body });
    assertEquals(response.status, 200);
    const frames = (await readFrames(response)).map(({ frame }) => frame);
    const [start] = frames;
    assert(start?.type === "start");
    this.id = start.conversationId;
    return frames;
  }

  fetch(path: string, init: RequestInit & { json?: unknown } = {}): Promise<Response> {
    const headers = { origin: ORIGIN, "x-service-session": this.sessionToken, ...init.headers };
    return this.service.fetch(`/v1/chat/conversations/${this.id}/${path}`, { ...init, headers });
  }

  async post(path: string, json?: unknown): Promise<Response> {
    return await this.fetch(path, { method: "POST", ...json !== undefined && { json } });
  }

  async status(): Promise<HandoffStatus> {
    const response = await this.fetch("handoff");
    assertEquals(response.status, 200);
    return await response.json();
  }

  async ask(): Promise<HandoffStatus> {
    const response = await this.post("handoff");
    assertEquals(response.status, 200, await response.clone().text());
    return await response.json();
  }

  async feed(after?: string): Promise<FeedReader> {
    const headers: Record<string, string> = after === undefined ? {} : { "last-event-id": after };
    return new FeedReader(await this.fetch("stream", { headers }));
  }
}
