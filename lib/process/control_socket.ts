import {
  CommandError,
  type CommandInput,
  type CommandName,
  type CommandOutputs,
  type Commands,
} from "./commands.ts";

/** A socket's path must fit `sockaddr_un`: 104 bytes on macOS, 108 on Linux, a zero included. */
const MAX_PATH_BYTES = 103;

/** The open socket. */
export interface ControlSocket {
  /** Stops taking commands, waits for those under way and removes the file. */
  close(): Promise<void>;
}

type Answer<C extends CommandName> = { output: CommandOutputs[C] } | { refused: string };

/**
 * Takes commands on a Unix socket that only this user may open (0600): who can read the store may
 * command it, and nothing of it is on a network. A file left at `path` is removed, so the caller
 * must hold the data folder's lock.
 */
export function serveControl(options: { path: string; handlers: Commands }): ControlSocket {
  const { path, handlers } = options;
  if (new TextEncoder().encode(path).length > MAX_PATH_BYTES) {
    throw new Error(`${path} is too long for a socket: point DATA_DIR at a shorter path`);
  }
  removeIfThere(path);
  // The mode is right from the first moment on: bind() applies the mask.
  const mask = Deno.umask(0o177);
  let server: Deno.HttpServer<Deno.UnixAddr>;
  try {
    server = Deno.serve({ path, onListen: () => {} }, (request) => answer(request, handlers));
  } finally {
    Deno.umask(mask);
  }
  return {
    close: async () => {
      await server.shutdown();
      removeIfThere(path);
    },
  };
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

async function answer(request: Request, handlers: Commands): Promise<Response> {
  try {
    const { command, input } = await request.json();
    if (!Object.hasOwn(handlers, command)) throw new CommandError("unknown command");
    return Response.json({ output: await handlers[command as CommandName](input) });
  } catch (error) {
    if (error instanceof CommandError) return Response.json({ refused: error.message });
    // Only this machine's user reads it, and the stores' messages name keys, never values.
    const why = error instanceof Error ? error.message : "unknown error";
    return Response.json({ refused: `the service could not do it: ${why}` });
  }
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
