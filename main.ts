/**
 * The entry: the only place that reads the environment, opens the store and listens. Run directly it
 * serves what `tools/prepare_start.ts` or a build has made; on Deno Deploy it is run directly as well.
 * Importing it builds the App without any I/O: `_fresh/server.js` does so for `deno serve`, and the
 * service opens with the first request.
 */
import { createApp } from "./app.ts";
import { type Config, ConfigError, localUrl, readConfig } from "./lib/server/config/config.ts";
import { createLogger, type Logger } from "./lib/platform/log.ts";
import { isConsoleCollected, writeToConsole } from "./lib/platform/log_console.ts";
import { describeClientAddressSource } from "./lib/http/client_address.ts";
import { SMALL_MEMORY_LIMITS } from "./lib/server/composition/memory_limits.ts";
import { prefetchStore } from "./lib/server/composition/prefetch_store.ts";
import { openService } from "./lib/server/composition/open_service.ts";
import { adminCommands } from "./lib/server/commands/admin_commands.ts";
import { printBanner } from "./lib/server/process/print_banner.ts";
import { type ControlSocket, serveControlSocket } from "./lib/server/commands/control_socket.ts";
import { RestartingServer, type Stoppable } from "./lib/server/process/restarting_server.ts";
import { PendingResponses } from "./lib/server/process/pending_responses.ts";
import { openStore, type Store } from "./lib/server/process/open_store.ts";
import { StartupError } from "./lib/server/process/startup_error.ts";
import { monitorStoreFile } from "./lib/server/process/store_health.ts";
import { shutDown, waitForStopSignal } from "./lib/server/process/shut_down.ts";
import { CatalogueError, readCatalogue } from "./lib/server/composition/open_providers.ts";
import { readScripts } from "./lib/server/composition/open_scripts.ts";
import { workerCommand } from "./lib/server/process/worker_command.ts";
import type { Service } from "./lib/http/service.ts";
import { systemRuntime } from "./lib/platform/runtime.ts";

const root = import.meta.dirname!;
let opened: Promise<Service> | undefined;

/** Responses being sent, tracked where the runtime owns the server and there is none to shut down. */
const requests = import.meta.main ? undefined : new PendingResponses();

/** The App with all routes; Fresh's build hands it its file routes and browser code. */
export const app = createApp((request) => opened ??= openOrRetryLater(request), { requests });

// On Deno Deploy processes stop when nobody asks anything: the platform wakes one to sweep. Nothing
// else has crons without a flag.
if (Deno.env.has("DENO_DEPLOY") && typeof Deno.cron === "function") {
  Deno.cron("sweep", "* * * * *", async () => {
    const service = await (opened ??= openOrRetryLater());
    await service.orphanedRuns.sweep();
    await service.documents.sweep();
    await service.documents.whenIdle();
  });
}

if (import.meta.main) serve().catch(exitWithError);

/** For `dev.ts`, which listens by itself: where to, and the greeting once it does. */
export function development() {
  const { port, host } = readConfig(Deno.env.toObject());
  return {
    port,
    hostname: host,
    greet: async () => await printBanner(await (opened ??= openOrRetryLater())),
  };
}

/** A store that could not be opened is tried again by the next request. */
function openOrRetryLater(request?: Request): Promise<Service> {
  return openFromEnvironment(request).catch((error) => {
    logger().error("the service could not be opened", { error });
    opened = undefined;
    throw error;
  });
}

/** Opens the service with the first request: where the runtime listens, and on Deno Deploy. */
async function openFromEnvironment(request: Request | undefined): Promise<Service> {
  const config = readConfig(Deno.env.toObject());
  const ahead = prefetchStore(Deno.openKv, request);
  const store = await openStore(config, { openKv: ahead.openKv, runtime: systemRuntime });
  const baseUrl = config.publicUrl ?? localUrl(config, config.port);
  const inHaste = request !== undefined || config.onDenoDeploy;
  const service = await open(config, { store, baseUrl, inHaste });
  ahead.discard();
  if (requests !== undefined) {
    void shutDownAfter(waitForStopSignal(), { service, server: requests });
  }
  return service;
}

async function shutDownAfter(
  stopped: Promise<void>,
  parts: { service: Service; server: Stoppable; control?: ControlSocket | undefined },
): Promise<void> {
  await stopped;
  await shutDown(parts);
}

/** The log of this process, written where its host collects it. */
function logger(level?: Config["logLevel"]): Logger {
  const collected = isConsoleCollected(Deno.env.toObject());
  return createLogger({
    ...level !== undefined && { level },
    ...collected && { write: writeToConsole, json: true },
  });
}

interface OpenOptions {
  store: Store;
  baseUrl: string;
  inHaste?: boolean;
}

/** Closes the store when it fails, so that the next attempt finds neither its lock nor its handle taken. */
async function open(
  config: Config,
  { store, baseUrl, inHaste = false }: OpenOptions,
): Promise<Service> {
  const log = logger(config.logLevel);
  const runtime = systemRuntime;
  const watch = await monitorStoreFile(store.file, { log, runtime });
  const close = () => {
    watch.close();
    return store.close();
  };
  const service = await compose(config, {
    store,
    baseUrl,
    inHaste,
    log,
    isInPlace: watch.isInPlace,
    close,
  })
    .catch(async (error) => {
      await close();
      throw error;
    });
  const source = describeClientAddressSource(config.trustedProxyHops);
  log.info(`client addresses come from ${source}`);
  // What the last process left behind when it was killed; before anything begins here.
  // With the store to itself, runs of other processes are dead; otherwise it starts watching their leases.
  const swept = service.orphanedRuns.sweep({ alone: store.isExclusive });
  if (store.isExclusive) await swept;
  service.orphanedRuns.start();
  service.documents.start();
  return service;
}

async function compose(
  config: Config,
  { store, log, isInPlace, ...parts }: Required<OpenOptions> & {
    log: Logger;
    isInPlace: () => boolean;
    close: () => Promise<void>;
  },
): Promise<Service> {
  return await openService({
    ...{ config, runtime: systemRuntime, log, ...parts },
    kv: store.kv,
    hmacSecrets: store.hmacSecrets,
    encryptionKeys: store.encryptionKeys,
    scripts: await readScripts(`${root}/_fresh`),
    catalogue: await readCatalogue(config.catalogueFile),
    isStoreInPlace: isInPlace,
    memory: config.onDenoDeploy ? SMALL_MEMORY_LIMITS : undefined,
    worker: config.onDenoDeploy ? undefined : await workerCommand(root, Deno.env.toObject()),
  });
}

/** Serves until a signal ends it. */
async function serve(): Promise<void> {
  // First of all: a signal that comes while the service starts must not be lost.
  const stopped = waitForStopSignal();
  const config = readConfig(Deno.env.toObject());
  if (config.onDenoDeploy) return await serveOnDeploy(config, stopped);
  const ahead = prefetchStore(Deno.openKv);
  const store = await openStore(config, { openKv: ahead.openKv, runtime: systemRuntime });
  const ready = Promise.withResolvers<Service>();
  opened = ready.promise;
  const server = await listen(config, logger(config.logLevel));
  const baseUrl = config.publicUrl ?? localUrl(config, server.addr.port);
  const service = await open(config, { store, baseUrl });
  ahead.discard();
  ready.resolve(service);
  const control = serveCommands(config, service);
  await printBanner(service);
  await shutDownAfter(stopped, { server, control, service });
}

/**
 * The platform sends requests as soon as the process listens, and stops it after 5 seconds of notice. A
 * store that cannot be opened is a 503 and is tried again, not an end that the platform shows as a 502.
 */
async function serveOnDeploy(config: Config, stopped: Promise<void>): Promise<void> {
  const server = await listen(config, logger(config.logLevel));
  (opened ??= openOrRetryLater()).catch(() => {});
  await stopped;
  const service = await opened?.catch(() => undefined);
  if (service !== undefined) return await shutDown({ server, service });
  await server.shutdown();
  Deno.exit(0);
}

/** Lets the command line reach this process; a shared store it reaches by itself. */
function serveCommands(config: Config, service: Service): ControlSocket | undefined {
  if (config.kvUrl !== undefined) return undefined;
  const handlers = adminCommands(service);
  const path = `${config.dataDir}/control.sock`;
  return serveControlSocket({ path, handlers, log: service.log, runtime: service.runtime });
}

/** Fresh's own server module imports this one, so it can only be imported once this has run. */
async function listen(config: Config, log: Logger): Promise<RestartingServer<Deno.NetAddr>> {
  const module: string = new URL("./_fresh/server.js", import.meta.url).href;
  const { default: { fetch } }: { default: { fetch: Deno.ServeHandler } } = await import(module);
  const onError = (error: unknown) => {
    log.error("a request failed", { error });
    return new Response("Internal Server Error", { status: 500 });
  };
  const options = { hostname: config.host, onError, onListen: () => {} };
  const listen = (again?: Deno.NetAddr) =>
    Deno.serve({ ...options, port: again?.port ?? config.port }, fetch);
  return new RestartingServer(listen, { name: "the server", log, runtime: systemRuntime });
}

function exitWithError(error: unknown): never {
  const told = error instanceof ConfigError || error instanceof StartupError ||
    error instanceof CatalogueError;
  if (told) console.error(error.message);
  else if (error instanceof Deno.errors.AddrInUse) {
    console.error("the port is in use: stop what listens there, or set PORT to another");
  } else console.error(error);
  Deno.exit(1);
}
