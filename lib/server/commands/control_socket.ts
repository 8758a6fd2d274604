import type { Logger } from "../../platform/log.ts";
import { CANCELLED, type Runtime } from "../../platform/runtime.ts";
import {
  CommandError,
  type CommandInput,
  type CommandName,
  type CommandOutputs,
  type Commands,
} from "./commands.ts";
import { RestartingServer } from "../process/restarting_server.ts";
import { StartupError } from "../process/startup_error.ts";

/** A socket's path must fit `sockaddr_un`: 104 bytes on macOS, 108 on Linux, a zero included. */
const MAX_PATH_BYTES = 103;
/** How long a command may take to arrive, and its end when the socket closes. */
const TIMEOUT_MS = 2_000;

/** The open socket. */
export interface ControlSocket {
  /**
   * Stops taking commands, waits for those under way and removes the file. One that hangs is waited
   * for 2 s: the end of the process must not depend on who sends it.
   */
  close(): Promise<void>;
}

export interface ControlSocketOptions {
  path: string;
  handlers: Commands;
  log: Logger;
  runtime: Pick<Runtime, "now" | "sleep">;
}

type ControlResponse<C extends CommandName> = { output: CommandOutputs[C] } | { refused: string };

/**
 * Takes commands on a Unix socket that only this user may open (0600): who can read the store may
 * command it, and nothing of it is on a network. A file left at `path` is removed, so the caller
 * must hold the data folder's lock.
 */
export function serveControlSocket(options: ControlSocketOptions): ControlSocket {
  const { path, log, runtime } = options;
  if (new TextEncoder().encode(path).length > MAX_PATH_BYTES) {
    throw new StartupError(`${path} is too long for a socket: point DATA_DIR at a shorter path`);
  }
  const listen = () => listenOwnerOnly(options);
  const server = new RestartingServer(listen, { name: "the control socket", log, runtime });
  return {
    close: async () => {
      const closed = new AbortController();
      const late = runtime.sleep(TIMEOUT_MS, closed.signal).catch(() => {});
      await Promise.race([server.shutdown(), late]);
      closed.abort(CANCELLED);
      removeIfExists(path);
    },
  };
}

function listenOwnerOnly(options: ControlSocketOptions): Deno.HttpServer<Deno.UnixAddr> {
  const { path } = options;
  removeIfExists(path);
  // The mode is right from the first moment on: bind() applies the mask.
  const mask = Deno.umask(0o177);
  try {
    return Deno.serve({ path, onListen: () => {} }, (request) => handleRequest(request, options));
  } finally {
    Deno.umask(mask);
  }
}

/**
 * Runs one command in the process that serves `path`. Throws `CommandError` for a refusal, and
 * when nothing answers there.
 */
export async function callControlSocket<C extends CommandName>(
  path: string,
  command: C,
  input: CommandInput<C>,
): Promise<CommandOutputs[C]> {
  using client = Deno.createHttpClient({ proxy: { transport: "unix", path } });
  const request = { client, method: "POST", body: JSON.stringify({ command, input }) };
  let answer: ControlResponse<C>;
  try {
    answer = await (await fetch("http://localhost/", request)).json();
  } catch (cause) {
    throw new CommandError("the running service takes no commands yet: try again", { cause });
  }
  if ("refused" in answer) throw new CommandError(answer.refused);
  return answer.output;
}

async function handleRequest(request: Request, options: ControlSocketOptions): Promise<Response> {
  const { handlers } = options;
  try {
    const { command, input } = await readCommand(request, options);
    if (!Object.hasOwn(handlers, command)) throw new CommandError("unknown command");
    return Response.json({ output: await handlers[command as CommandName](input) });
  } catch (error) {
    if (error instanceof CommandError) return Response.json({ refused: error.message });
    // Only this machine's user reads it, and the stores' messages name keys, never values.
    const why = error instanceof Error ? error.message : "unknown error";
    return Response.json({ refused: `the service could not do it: ${why}` });
  }
}

/** Who sends a command has all of it at hand: one that takes long will never be whole. */
async function readCommand(
  request: Request,
  { runtime }: ControlSocketOptions,
): Promise<{ command: string; input: never }> {
  const read = new AbortController();
  const late = runtime.sleep(TIMEOUT_MS, read.signal).then(() => {
    throw new CommandError("the command did not arrive whole");
  });
  try {
    return await Promise.race([request.json(), late]);
  } finally {
    read.abort(CANCELLED);
  }
}

function removeIfExists(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
