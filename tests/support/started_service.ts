import type { Document } from "@/lib/schemas/knowledge.ts";
import { taskCommand } from "./task_command.ts";

const root = new URL("../../", import.meta.url).pathname;

/** A service process. */
export interface StartedService extends AsyncDisposable {
  /** Output until it was ready. */
  output: string;
  /** Its address, without a trailing slash. */
  base: string;
  /** Stops it gracefully and waits for its end. */
  stop(): Promise<Deno.CommandStatus>;
  /** Kills it like a crash. */
  kill(): Promise<Deno.CommandStatus>;
}

/** The last lines of a first start: the next commands. */
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
    /** Executable of another Deno version, which runs this build with all permissions. */
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
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let output = "";
  while (!lastLine.test(output)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the service ended: ${output}`);
    output += value;
  }
  let ended = false;
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    if (!ended) child.kill(signal);
    ended = true;
    const status = await child.status;
    await reader.cancel();
    await logRead;
    return status;
  };
  const base = /listening on (\S+)/.exec(output)![1]!;
  const kill = () => end("SIGKILL");
  const dispose = async () => void await kill();
  return { output, base, stop: () => end("SIGTERM"), kill, [Symbol.asyncDispose]: dispose };
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

/** Creates a key with the command line while the service runs. */
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

/** A document, once it is processed; polls slowly enough for the rate limit. */
export async function untilProcessed(read: () => Promise<Document>): Promise<Document> {
  while (true) {
    const document = await read();
    if (document.state !== "processing") return document;
    await new Promise((done) => setTimeout(done, 250));
  }
}
