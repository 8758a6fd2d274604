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

/** A socket's path must fit `sockaddr_un`: 104 bytes on macOS, 108 on Linux, including a zero. */
const MAX_PATH_BYTES = 103;
/** How long reading a command may take, and how long closing waits for running commands. */
const TIMEOUT_MS = 2_000;

export interface ControlSocket {
  /** Stops accepting commands, waits up to 2 s for running ones, and removes the file. */
  close(): Promise<void>;
}

export interface ControlSocketOptions {
  path: string;
  handlers: Commands;
  log: Logger;
  runtime: Pick<Runtime, "now" | "sleep">;
}

/**
 * Accepts commands on a Unix socket that only this user may open (0600): everyone who can read the
 * store may run commands. Replaces a file at `path`, so the caller must hold the data folder's lock.
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
      const timeout = runtime.sleep(TIMEOUT_MS, closed.signal).catch(() => {});
      await Promise.race([server.shutdown(), timeout]);
      closed.abort(CANCELLED);
      removeIfExists(path);
    },
  };
}

function listenOwnerOnly(options: ControlSocketOptions): Deno.HttpServer<Deno.UnixAddr> {
  const { path } = options;
  removeIfExists(path);
  // bind() applies the mask, so that the mode is right from the start.
  const mask = Deno.umask(0o177);
  try {
    return Deno.serve({ path, onListen: () => {} }, (request) => handleRequest(request, options));
  } finally {
    Deno.umask(mask);
  }
}

/** Throws `CommandError` if the command fails or no process serves `path`. */
export async function callControlSocket<C extends CommandName>(
  path: string,
  command: C,
  input: CommandInput<C>,
): Promise<CommandOutputs[C]> {
  using client = Deno.createHttpClient({ proxy: { transport: "unix", path } });
  const request = { client, method: "POST", body: JSON.stringify({ command, input }) };
  let response: { output: CommandOutputs[C] } | { refused: string };
  try {
    response = await (await fetch("http://localhost/", request)).json();
  } catch (cause) {
    throw new CommandError("the running service takes no commands yet: try again", { cause });
  }
  if ("refused" in response) throw new CommandError(response.refused);
  return response.output;
}

async function handleRequest(request: Request, options: ControlSocketOptions): Promise<Response> {
  const { handlers } = options;
  try {
    const { command, input } = await readCommand(request, options);
    if (!Object.hasOwn(handlers, command)) throw new CommandError("unknown command");
    return Response.json({ output: await handlers[command as CommandName](input) });
  } catch (error) {
    if (error instanceof CommandError) return Response.json({ refused: error.message });
    // Only this user reads it, and messages of stores name keys, never values.
    const why = error instanceof Error ? error.message : "unknown error";
    return Response.json({ refused: `the service could not do it: ${why}` });
  }
}

/** Rejects a command that does not arrive within 2 s. */
async function readCommand(
  request: Request,
  { runtime }: ControlSocketOptions,
): Promise<{ command: string; input: never }> {
  const done = new AbortController();
  const timeout = runtime.sleep(TIMEOUT_MS, done.signal).then(() => {
    throw new CommandError("the command did not arrive whole");
  });
  try {
    return await Promise.race([request.json(), timeout]);
  } finally {
    done.abort(CANCELLED);
  }
}

function removeIfExists(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
