import type { Logger } from "../log.ts";
import { CALLED_OFF, type System } from "../system.ts";
import {
  CommandError,
  type CommandInput,
  type CommandName,
  type CommandOutputs,
  type Commands,
} from "./commands.ts";
import { LastingServer } from "./lasting_server.ts";
import { StoreFault } from "./store_fault.ts";

/** A socket's path must fit `sockaddr_un`: 104 bytes on macOS, 108 on Linux, a zero included. */
const MAX_PATH_BYTES = 103;
/** How long a command may take to arrive, and its end when the socket closes. */
const MOST_MS = 2_000;

/** The open socket. */
export interface ControlSocket {
  /**
   * Stops taking commands, waits for those under way and removes the file. One that hangs is waited
   * for 2 s: the end of the process must not depend on who sends it.
   */
  close(): Promise<void>;
}

export interface ControlOptions {
  path: string;
  handlers: Commands;
  log: Logger;
  system: Pick<System, "now" | "sleep">;
}

type Answer<C extends CommandName> = { output: CommandOutputs[C] } | { refused: string };

/**
 * Takes commands on a Unix socket that only this user may open (0600): who can read the store may
 * command it, and nothing of it is on a network. A file left at `path` is removed, so the caller
 * must hold the data folder's lock.
 */
export function serveControl(options: ControlOptions): ControlSocket {
  const { path, log, system } = options;
  if (new TextEncoder().encode(path).length > MAX_PATH_BYTES) {
    throw new StoreFault(`${path} is too long for a socket: point DATA_DIR at a shorter path`);
  }
  const listen = () => listenPrivately(options);
  const server = new LastingServer(listen, { name: "the control socket", log, system });
  return {
    close: async () => {
      const closed = new AbortController();
      const late = system.sleep(MOST_MS, closed.signal).catch(() => {});
      await Promise.race([server.shutdown(), late]);
      closed.abort(CALLED_OFF);
      removeIfThere(path);
    },
  };
}

function listenPrivately(options: ControlOptions): Deno.HttpServer<Deno.UnixAddr> {
  const { path } = options;
  removeIfThere(path);
  // The mode is right from the first moment on: bind() applies the mask.
  const mask = Deno.umask(0o177);
  try {
    return Deno.serve({ path, onListen: () => {} }, (request) => answer(request, options));
  } finally {
    Deno.umask(mask);
  }
}

/**
 * Runs one command in the process that serves `path`. Throws `CommandError` for a refusal, and
 * when nothing answers there.
 */
export async function callControl<C extends CommandName>(
  path: string,
  command: C,
  input: CommandInput<C>,
): Promise<CommandOutputs[C]> {
  using client = Deno.createHttpClient({ proxy: { transport: "unix", path } });
  const request = { client, method: "POST", body: JSON.stringify({ command, input }) };
  let answer: Answer<C>;
  try {
    answer = await (await fetch("http://localhost/", request)).json();
  } catch (cause) {
    throw new CommandError("the running service takes no commands yet: try again", { cause });
  }
  if ("refused" in answer) throw new CommandError(answer.refused);
  return answer.output;
}

async function answer(request: Request, options: ControlOptions): Promise<Response> {
  const { handlers } = options;
  try {
    const { command, input } = await bodyOf(request, options);
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
async function bodyOf(
  request: Request,
  { system }: ControlOptions,
): Promise<{ command: string; input: never }> {
  const read = new AbortController();
  const late = system.sleep(MOST_MS, read.signal).then(() => {
    throw new CommandError("the command did not arrive whole");
  });
  try {
    return await Promise.race([request.json(), late]);
  } finally {
    read.abort(CALLED_OFF);
  }
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
