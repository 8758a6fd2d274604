import type { Socket } from "node:net";
import { AnthropicWire } from "./anthropic_wire.ts";
import { GoogleWire } from "./google_wire.ts";
import { OpenaiWire } from "./openai_wire.ts";
import type { ProtocolName, Script, ScriptedPart, Wire, WireOptions } from "./script.ts";

const WIRES: Readonly<Record<ProtocolName, new (options: WireOptions) => Wire>> = {
  openai: OpenaiWire,
  anthropic: AnthropicWire,
  google: GoogleWire,
};

export interface PlayOptions {
  protocol: ProtocolName;
  model: string;
  script: Script;
  /** Resolves when the client disconnects. */
  gone: Promise<void>;
}

const encoder = new TextEncoder();

/** Plays one script on a socket, byte for byte. */
export async function playScript(socket: Socket, options: PlayOptions): Promise<void> {
  const { script } = options;
  if (script.silent) return;
  if (script.garbage !== undefined) return void socket.end(script.garbage);
  const { status = 200 } = script;
  if (status !== 200) return reject(socket, script);
  const { "content-type": type = "text/event-stream", ...headers } = script.headers ?? {};
  const out = new ChunkWriter(socket, script.cut);
  out.head({ "Content-Type": type, ...headers });
  for (const step of steps(options)) {
    if (typeof step === "string" || step instanceof Uint8Array) out.write(step);
    else {
      out.flush();
      await Promise.race([waitFor(step.wait), options.gone]);
    }
  }
  finish(socket, out, script.finish ?? "end");
}

/** The steps of the body: writes and waits. */
function* steps({ protocol, model, script }: PlayOptions): Generator<
  string | Uint8Array | { wait: number | Promise<unknown> }
> {
  if (script.body !== undefined) {
    if (script.heldUntil !== undefined) yield { wait: script.heldUntil };
    return yield script.body;
  }
  const wire = new WIRES[protocol]({ model, script });
  const eol = script.eol ?? (protocol === "google" ? "\r\n" : "\n");
  const lines = (events: string[]) => events.map((event) => event.replaceAll("\n", eol));
  yield* lines(wire.begin());
  for (
    const say of script.say ?? [{ text: "Hello" }, { text: " there." }] satisfies ScriptedPart[]
  ) {
    if ("wait" in say) yield say;
    else if ("raw" in say) yield say.raw;
    else if ("comment" in say) yield* lines([`: ${say.comment}\n\n`]);
    else yield* lines(wire.say(say));
  }
  if (script.end !== "none") yield* lines(wire.end());
}

/** Writes the body as HTTP chunks; parts without a wait in between are sent together. */
class ChunkWriter {
  readonly #socket: Socket;
  readonly #cut: number | undefined;
  #parts: Uint8Array[] = [];

  constructor(socket: Socket, cut: number | undefined) {
    this.#socket = socket;
    this.#cut = cut;
  }

  head(headers: Readonly<Record<string, string>>): void {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const head = `HTTP/1.1 200 OK\r\n${lines}Transfer-Encoding: chunked\r\n\r\n`;
    this.#parts.push(encoder.encode(head));
  }

  write(data: string | Uint8Array): void {
    const bytes = typeof data === "string" ? encoder.encode(data) : data;
    const size = this.#cut ?? bytes.length;
    for (let at = 0; at < bytes.length; at += size) {
      const part = bytes.subarray(at, at + size);
      this.#parts.push(encoder.encode(`${part.length.toString(16)}\r\n`), part, CRLF);
      if (this.#cut !== undefined) this.flush();
    }
  }

  last(): void {
    this.#parts.push(encoder.encode("0\r\n\r\n"));
  }

  flush(then?: () => void): void {
    const total = this.#parts.reduce((sum, part) => sum + part.length, 0);
    const whole = new Uint8Array(total);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    if (!this.#socket.destroyed) this.#socket.write(whole, then);
  }
}

const CRLF = encoder.encode("\r\n");

function finish(socket: Socket, out: ChunkWriter, how: NonNullable<Script["finish"]>): void {
  switch (how) {
    case "end":
      out.last();
      return out.flush();
    case "hang":
      return out.flush();
    case "half":
      return out.flush(() => socket.end());
    case "close":
      return out.flush(() => socket.destroySoon());
    case "reset":
      return out.flush(() => socket.resetAndDestroy());
  }
}

/** A hanging error response announces a longer body than it sends. */
function reject(socket: Socket, { status, headers = {}, body = "", finish }: Script): void {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const all = { "Content-Type": "application/json", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const length = bytes.length + (finish === "hang" ? 100 : 0);
  socket.write(`HTTP/1.1 ${status} Rejected\r\n${lines}Content-Length: ${length}\r\n\r\n`);
  socket.write(bytes);
}

function waitFor(wait: number | Promise<unknown>): Promise<unknown> {
  if (typeof wait !== "number") return wait;
  return new Promise((resolve) => setTimeout(resolve, wait));
}
