import type { Document } from "@/lib/schemas/knowledge.ts";
import { taskCommand } from "./task_command.ts";

const root = new URL("../../", import.meta.url).pathname;

/** A process of its own that serves. */
export interface StartedService extends AsyncDisposable {
  /** What it printed until it could answer. */
  told: string;
  /** Its address, without a trailing slash. */
  base: string;
  /** Ends it as an operator does, and waits until it has ended. */
  stop(): Promise<Deno.CommandStatus>;
  /** Ends it as a crash does: nothing of it runs any more. */
  kill(): Promise<Deno.CommandStatus>;
}

/** The last lines of a first start: the commands to try next. */
const FIRST_START = /^.*chat\/stream.*\n.*\n/m;
/** The last line of a start after set-up. */
export const LATER_START = /^ *Dashboard.*\n/m;

/**
 * A service as `deno task start` starts it, on a free port and with its data in `dir`. Its log goes to
 * `onLog`, line by line, or to standard error.
 */
export async function startService(
  dir: string,
  env: Record<string, string> = {},
  { lastLine = FIRST_START, onLog, deno }: {
    lastLine?: RegExp;
    onLog?: (line: string) => void;
    /** Another version's program: it runs what this one has built, with all permissions. */
    deno?: string;
  } = {},
): Promise<StartedService> {
  const { command, args } = deno === undefined
    ? taskCommand("start")
    : { command: deno, args: ["run", "--cached-only", "--frozen", "-A", "main.ts"] };
  const child = new Deno.Command(command, {
    args,
    cwd: root,
    env: { PORT: "0", DATA_DIR: `${dir}/data`, ...env },
    stdout: "piped",
    stderr: onLog === undefined ? "inherit" : "piped",
  }).spawn();
  const logRead = onLog && readLines(child.stderr, onLog);
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let told = "";
  while (!lastLine.test(told)) {
    const { value, done } = await output.read();
    if (done) throw new Error(`the service ended: ${told}`);
    told += value;
  }
  let ended = false;
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    if (!ended) child.kill(signal);
    ended = true;
    const status = await child.status;
    await output.cancel();
    await logRead;
    return status;
  };
  const base = /listening on (\S+)/.exec(told)![1]!;
  const kill = () => end("SIGKILL");
  const dispose = async () => void await kill();
  return { told, base, stop: () => end("SIGTERM"), kill, [Symbol.asyncDispose]: dispose };
}

async function readLines(
  from: ReadableStream<Uint8Array<ArrayBuffer>>,
  onLine: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const text of from.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) onLine(line);
  }
}

/** A key as an operator makes one beside the running service. */
export async function createKey(
  dir: string,
  { env = {}, scopes = "agents:write" }: { env?: Record<string, string>; scopes?: string } = {},
): Promise<string> {
  const words = ["create", "--name", "crash", "--scopes", scopes];
  const { command, args } = taskCommand("keys", { words });
  const { stdout } = await new Deno.Command(command, {
    args,
    cwd: root,
    env: { DATA_DIR: `${dir}/data`, ...env },
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout).trim();
}

/** A document once it has been processed; asked for rarely enough for a key's limit. */
export async function untilProcessed(read: () => Promise<Document>): Promise<Document> {
  while (true) {
    const document = await read();
    if (document.state !== "processing") return document;
    await new Promise((done) => setTimeout(done, 250));
  }
}
