import type { Config } from "../config/config.ts";
import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { makePrivateDir } from "./data_dir.ts";
import { openStore, type Store } from "./open_store.ts";
import type { ServerCommand } from "./server_command.ts";
import { serverPlaceEnv } from "./server_place.ts";
import { StartupError } from "./startup_error.ts";
import { type ServerProcess, Supervisor } from "./supervisor.ts";
import { openSupervisorSockets } from "./supervisor_sockets.ts";

export interface RunSupervisorOptions {
  config: Config;
  openKv: (path?: string) => Promise<Deno.Kv>;
  command: ServerCommand;
  stopped: Promise<void>;
  log: Logger;
  runtime: Runtime;
}

/**
 * Opens the store, unless it is a KV server, and runs `config.workers` processes on it until `stopped`.
 * Returns the exit code.
 */
export async function runSupervisor(options: RunSupervisorOptions): Promise<number> {
  const { config, runtime, log } = options;
  await using owned = new AsyncDisposableStack();
  const kv = config.kvUrl === undefined ? await openOwned(options, owned) : undefined;
  // The lock of the data folder makes the name unique; services on one KV server may share a folder.
  const name = kv === undefined ? `servers-${Deno.pid}` : "servers";
  await makePrivateDir(config.dataDir);
  const dir = `${config.dataDir}/${name}`;
  const sockets = await openSupervisorSockets(dir, { kv, runtime });
  owned.defer(() => sockets.close());
  let { port } = config;
  const start = (place: { number: number; isFirst: boolean }) =>
    startProcess({ ...options, port, env: serverPlaceEnv({ ...place, dir }) });
  // If any free port will do, the first process chooses one, and the others share it.
  const ready = sockets.ready.then((chosen) => void (port = chosen));
  const drainMs = config.drainSeconds * 1_000;
  return await new Supervisor({ count: config.workers, start, ready, drainMs, log, runtime })
    .run(options.stopped);
}

/** The store's own handle: the server processes encode and decode the values. */
async function openOwned(
  { config, openKv, runtime }: RunSupervisorOptions,
  owned: AsyncDisposableStack,
): Promise<Deno.Kv> {
  let own: Deno.Kv | undefined;
  const open = async (path?: string) => own = await openKv(path);
  const store: Store = await openStore(config, { openKv: open, runtime });
  owned.defer(() => store.close());
  return own!;
}

function startProcess(
  { command, port, env }: Pick<RunSupervisorOptions, "command"> & {
    port: number;
    env: Record<string, string>;
  },
): ServerProcess {
  const { path, args } = command;
  try {
    return new Deno.Command(path, {
      args,
      env: { ...env, PORT: String(port) },
      stdin: "null",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound || cause instanceof Deno.errors.NotCapable)) {
      throw cause;
    }
    throw new StartupError(
      `the script ${path} that starts server processes is missing: run deno task start or deno task ` +
        "build once with the same WORKERS, DATA_DIR, KV_PATH and CATALOGUE, while the folder can be " +
        "written",
      { cause },
    );
  }
}
