import { setImmediate } from "node:timers";
import { type DecodedFrame, FrameDecoder } from "@/lib/schemas/frame_decoder.ts";
import { MockProviders, type MockRequest } from "./mock_providers/mock_providers.ts";
import type { Script, ScriptedPart } from "./mock_providers/script.ts";
import { startService } from "./started_service.ts";
import { say } from "./widget_calls.ts";

/** Words before and after the tool call; each is one frame. */
export const ANSWER_WORDS = 8;
const PACE_MS = 35;

/** When a run's process is killed, plus `turns` of the event loop. */
export type KillMoment =
  /** The message was sent, without any response. */
  | { at: "sent"; turns: number }
  /** The run was admitted, and its provider does not respond. */
  | { at: "asked"; turns: number }
  /** The client has received this many frames. */
  | { at: "frame"; n: number }
  /** The tool was called and does not respond. */
  | { at: "tool"; turns: number }
  /** The client has received a frame of this type. */
  | { at: "type"; type: string; turns: number };

/** What a client received of a run before its process ended. */
export interface SeenRun {
  runId: string;
  frames: DecodedFrame[];
}

async function turns(n: number): Promise<void> {
  for (let i = 0; i < n; i++) await new Promise((wake) => setImmediate(wake));
}

/** The tool of every run, which can be made to wait. */
export class SlowTool implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  #called = Promise.withResolvers<void>();
  #answers = Promise.withResolvers<void>();

  constructor() {
    const handle = async () => {
      this.#called.resolve();
      await this.#answers.promise;
      return Response.json({ found: "it" });
    };
    this.#server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handle);
  }

  get host(): string {
    return `127.0.0.1:${this.#server.addr.port}`;
  }

  /** Sets the behavior from now on; resolves when the tool is called. */
  next({ waits }: { waits: boolean }): Promise<void> {
    this.#answers.resolve();
    this.#called = Promise.withResolvers();
    this.#answers = Promise.withResolvers();
    if (!waits) this.#answers.resolve();
    return this.#called.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#answers.resolve();
    await this.#server.shutdown();
  }
}

/** A provider that streams words, calls the tool and streams more, in every run. */
export class PacedProvider implements AsyncDisposable {
  readonly mock: MockProviders;
  /** Whether it accepts requests without responding. */
  isSilent = false;

  private constructor(mock: MockProviders) {
    this.mock = mock;
  }

  static async start(): Promise<PacedProvider> {
    const mock = await MockProviders.start({ otherwise: (request) => provider.#answer(request) });
    const provider = new PacedProvider(mock);
    return provider;
  }

  #answer({ body }: MockRequest): Script {
    if (this.isSilent) return { silent: true };
    const words = (name: string) =>
      Array.from({ length: ANSWER_WORDS }, (_, n): ScriptedPart[] => [
        { wait: PACE_MS },
        { text: `${name} ${n} ` },
      ]).flat();
    if (body.messages.at(-1).role === "tool") return { say: words("after") };
    const calls = [{ id: "c1", name: "lookup", args: ['{"q":"x"}'] }];
    return { say: [...words("before"), { calls }] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mock[Symbol.asyncDispose]();
  }
}

/** Starts a run in a process and kills the process at the given moment. */
export async function killAt(
  moment: KillMoment,
  { base, kill, provider, tool, ask }: {
    base: string;
    kill: () => Promise<unknown>;
    provider: PacedProvider;
    tool: SlowTool;
    ask: { key: string; agentId: string };
  },
): Promise<SeenRun | undefined> {
  const { mock } = provider;
  provider.isSilent = moment.at === "asked";
  const due = Promise.withResolvers<void>();
  const asked = mock.asked(mock.requests.length + 1);
  const later = (n: number) => turns(n).then(() => due.resolve());
  if (moment.at === "asked") void asked.then(() => later(moment.turns));
  const called = tool.next({ waits: moment.at === "tool" });
  if (moment.at === "tool") void called.then(() => later(moment.turns));
  if (moment.at === "sent") void later(moment.turns);
  const onFrame = (frame: DecodedFrame, n: number) => {
    if (moment.at === "frame" && n === moment.n) due.resolve();
    if (moment.at === "type" && frame.type === moment.type) void later(moment.turns);
  };
  const run = follow(base, { ...ask, onFrame });
  await Promise.race([due.promise, run]);
  await kill();
  return await run;
}

/** Sends a message, reads until the process ends, and reports each frame. */
async function follow(
  base: string,
  { key, agentId, onFrame }: {
    key: string;
    agentId: string;
    onFrame: (frame: DecodedFrame, n: number) => unknown;
  },
): Promise<SeenRun | undefined> {
  const response = await fetch(`${base}/v1/chat/stream`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ agentId, messages: [say("Hello")], maxOutputTokens: 100 }),
  }).catch(() => undefined);
  // Killed before the response: the message may or may not have been admitted.
  if (response === undefined) return undefined;
  if (response.status !== 200) throw new Error(await response.text());
  const frames: DecodedFrame[] = [];
  const decoder = new FrameDecoder();
  try {
    for await (const chunk of response.body!) {
      for (const frame of decoder.push(chunk)) void onFrame(frame, frames.push(frame));
    }
  } catch {
    // Killed: the frames received so far count.
  }
  return { runId: response.headers.get("x-run-id")!, frames };
}

/** Creates an agent with the priced model and the tool, in a service on `dir`. */
export async function makeAgent(
  dir: string,
  { env, key, body }: {
    env: Record<string, string>;
    key: (dir: string) => Promise<string>;
    body: unknown;
  },
): Promise<{ key: string; agentId: string }> {
  await using service = await startService(dir, env);
  const made = await key(dir);
  const response = await fetch(`${service.base}/v1/agents`, {
    method: "POST",
    headers: { authorization: `Bearer ${made}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(await response.text());
  const { id } = await response.json();
  await service.stop();
  return { key: made, agentId: id };
}
