import type { Frame } from "../../lib/schemas/frames.ts";

/** `start`, without the fields that are the same for every run. */
const START = {
  type: "start",
  requestId: "request-1",
  provider: "vendor_a",
  model: "demo",
  conversationId: "5f1c2d3e-aaaa-4bbb-8ccc-121212121212",
} as const;
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-allow-methods": "*",
  "access-control-expose-headers":
    "x-request-id, x-run-id, retry-after, ratelimit, idempotency-replayed",
};

interface Run {
  readonly id: string;
  readonly frames: Frame[];
  readonly followers: Set<ReadableStreamDefaultController<Uint8Array>>;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly token: string | null;
  /** The last frame that the client has, for a resume. */
  readonly after: string | null;
  readonly body:
    | {
      messages?: { content: string; attachments?: string[] }[];
      conversationId?: string;
      replaces?: string;
      rating?: string;
      comment?: string;
      title?: string;
      email?: string;
      message?: string;
      approve?: boolean;
      output?: unknown;
      error?: string;
      text?: string;
    }
    | undefined;
}

/**
 * The chat routes of CONTRACT section 6 with an answer that the test writes word by word. It supports
 * following, resuming, and repeating a message under its idempotency key.
 */
export class FakeChat {
  readonly seen: RecordedRequest[] = [];
  /** False: the service has no resume and cancel routes yet. */
  resumes = true;
  /** Messages that the session may still send. */
  left = 50;
  /** More fields of each `start`. */
  start: { handoff?: "waiting" | "taken" } = {};
  /** Responses to send instead of a stream, each once. */
  readonly rejections: Response[] = [];
  /** Answers requests of other routes. */
  other: (seen: RecordedRequest) => Response | undefined | Promise<Response | undefined> = () =>
    undefined;
  /** The files that were sent, whether they were accepted or not. */
  readonly uploads: File[] = [];
  /** Uploads are answered after this. */
  uploaded: Promise<unknown> | undefined;
  #runs = new Map<string, Run>();
  /** Frames for a run that was not requested yet. */
  #early: Frame[] = [];

  /**
   * Adds frames to the open run and its followers. Without an open run they wait for the next one, as
   * the page may not have requested it yet.
   */
  write(...frames: Frame[]): void {
    for (const frame of frames) {
      const run = this.#openRun();
      if (!run) {
        this.#early.push(frame);
        continue;
      }
      run.frames.push(frame);
      for (const follower of run.followers) this.#send(run, follower, run.frames.length);
      if (frame.type === "done") this.cut();
    }
  }

  say(...words: string[]): void {
    this.write(...words.map((text): Frame => ({ type: "delta", text })));
  }

  done(finishReason: "stop" | "length" | "cancelled" | "error" = "stop"): void {
    this.write({ type: "done", finishReason });
  }

  /** Closes every connection without `done`, like a network failure. */
  cut(): void {
    for (const { followers } of this.#runs.values()) {
      for (const follower of followers) {
        try {
          follower.close();
        } catch { /* the browser left first */ }
      }
      followers.clear();
    }
  }

  /** The open run, and the number of its last frame. */
  position(): { readonly runId: string; readonly n: number } {
    const { id: runId, frames } = this.#openRun()!;
    return { runId, n: frames.length };
  }

  #openRun(): Run | undefined {
    return [...this.#runs.values()].findLast((run) => run.frames.at(-1)!.type !== "done");
  }

  async handle(request: Request): Promise<Response> {
    if (request.method === "OPTIONS") return new Response(null, { headers: CORS });
    const url = new URL(request.url);
    const isUpload = /^multipart/.test(request.headers.get("content-type") ?? "");
    const text = isUpload ? "" : await request.text();
    if (isUpload) this.uploads.push((await request.formData()).get("file") as File);
    const seen: RecordedRequest = {
      method: request.method,
      path: url.pathname + url.search,
      key: request.headers.get("idempotency-key"),
      token: request.headers.get("x-service-session"),
      after: request.headers.get("last-event-id"),
      body: text ? JSON.parse(text) : undefined,
    };
    this.seen.push(seen);
    if (isUpload) await this.uploaded;
    return await this.#answer(url, seen);
  }

  async #answer(url: URL, seen: RecordedRequest): Promise<Response> {
    const response = this.rejections.shift() ?? await this.other(seen);
    if (response) {
      for (const [name, value] of Object.entries(CORS)) response.headers.set(name, value);
      return response;
    }
    if (/attachments/.test(url.pathname)) return this.#attachment(url, seen);
    if (url.pathname.endsWith("/feedback")) {
      return new Response(null, { status: 204, headers: CORS });
    }
    // The session has no visitor.
    if (url.pathname.endsWith("/conversations")) {
      return Response.json({ data: [] }, { headers: CORS });
    }
    const [, id, verb] = /runs\/([^/]+)\/(stream|cancel)$/.exec(url.pathname) ?? [];
    if (!id && seen.method !== "POST") return this.#refuse(404, "not_found");
    if (!id) return this.#post(seen.key!);
    const run = [...this.#runs.values()].find((run) => run.id === id);
    if (!this.resumes || !run) return this.#refuse(404, "not_found");
    if (verb === "stream") return this.#follow(run, +seen.after!.split(".")[1]!);
    if (run === this.#openRun()) this.done("cancelled");
    return new Response(null, { status: 202, headers: CORS });
  }

  #attachment({ pathname }: URL, { method }: RecordedRequest): Response {
    if (method === "GET") {
      const file = this.uploads[+pathname.at(-1)! - 1];
      return file ? new Response(file, { headers: CORS }) : this.#refuse(404, "not_found");
    }
    const { name, type, size: bytes } = this.uploads.at(-1)!;
    const id = `c41a7d08-5b2f-4f6e-9d13-${`${this.uploads.length}`.padStart(12, "0")}`;
    const kind = /image/.test(type) ? "image" : "document";
    const uploaded = { id, kind, mediaType: type, bytes, name, expiresAt: "2026-01-15T10:31:00Z" };
    return Response.json(uploaded, { status: 201, headers: CORS });
  }

  #refuse(status: number, code: string): Response {
    return Response.json({ code, message: "", http: status }, { status, headers: CORS });
  }

  #post(key: string): Response {
    const known = this.#runs.get(key);
    if (known) return this.#follow(known, 0, { "idempotency-replayed": "true" });
    const id = `0b6c7a1e-57c3-4a52-9c1c-${`${this.#runs.size + 1}`.padStart(12, "0")}`;
    const run: Run = { id, frames: [{ ...START, ...this.start, runId: id }], followers: new Set() };
    this.#runs.set(key, run);
    this.write(...this.#early.splice(0));
    return this.#follow(run, 0, { "ratelimit": `"session_messages";r=${--this.left};t=900` });
  }

  #follow(run: Run, after: number, headers = {}): Response {
    let mine: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        mine = controller;
        run.followers.add(controller);
        for (let n = after + 1; n <= run.frames.length; n++) this.#send(run, controller, n);
        if (run.frames.at(-1)?.type === "done") this.cut();
      },
      cancel: () => void run.followers.delete(mine),
    });
    return new Response(body, {
      headers: { ...CORS, "content-type": "text/event-stream", "x-run-id": run.id, ...headers },
    });
  }

  #send(run: Run, follower: ReadableStreamDefaultController<Uint8Array>, n: number): void {
    const frame = run.frames[n - 1]!;
    const text = `id: ${run.id}.${n}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
    follower.enqueue(new TextEncoder().encode(text));
  }
}
