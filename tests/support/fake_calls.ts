import type { FrameOf } from "../../lib/schemas/frames.ts";
import type { FakeChat, RecordedRequest } from "./fake_chat.ts";

type Call = Pick<FrameOf<"tool_call">, "name" | "args" | "title" | "progress" | "waitsFor">;

/** Calls of the open run that wait, and what clients answer to them: the routes below `/calls/`. */
export class FakeCalls {
  /** Answers that were accepted, in order. */
  readonly answers: { readonly n: number; readonly body: RecordedRequest["body"] }[] = [];
  /** Answers that came too late. */
  late = 0;
  /** Rejections of the next outputs, which the call survives. */
  readonly invalid: Response[] = [];
  readonly #chat: FakeChat;
  readonly #waiting = new Map<number, Call>();

  constructor(chat: FakeChat) {
    this.#chat = chat;
    chat.other = (seen) => this.#answer(seen);
  }

  /** Writes the frame of a call. Returns its number. */
  begin(call: Call): number {
    const expiresAt = "2026-01-15T12:01:00.000Z";
    this.#chat.write({ type: "tool_call", ...call, pending: true, expiresAt });
    const { n } = this.#chat.position();
    this.#waiting.set(n, call);
    return n;
  }

  /** Writes the call's result, after which it waits no more. */
  end(n: number, output: FrameOf<"tool_result">["output"] = {}): void {
    this.#waiting.delete(n);
    this.#chat.write({ type: "tool_result", name: "tool", output, call: n });
  }

  #answer({ method, path, body }: RecordedRequest): Response | undefined {
    const [, n, verb] = /\/calls\/(\d+)\/(decision|output)$/.exec(path) ?? [];
    if (!n || method !== "POST") return;
    const call = this.#waiting.get(Number(n));
    const isOutput = verb === "output";
    if (call === undefined || isOutput !== (call.waitsFor === "page")) {
      this.late++;
      return Response.json({ code: "already_decided", message: "", http: 409 }, { status: 409 });
    }
    const rejection = isOutput && body && "output" in body && this.invalid.shift();
    if (rejection) return rejection;
    this.#waiting.delete(Number(n));
    this.answers.push({ n: Number(n), body });
    return new Response(null, { status: 204 });
  }
}
