/**
 * The entry point: the only module that reads the environment, opens the store and listens. Run
 * directly, also on Deno Deploy, it serves a finished build. Importing it creates the App without any
 * I/O: `_fresh/server.js` does so for `deno serve`, and the first request opens the service.
 */
import { createApp } from "./app.ts";
import { type Config, ConfigError, localUrl, readConfig } from "./lib/server/config/config.ts";
import { createLogger, type Logger } from "./lib/platform/log.ts";
import { isConsoleCollected, writeToConsole } from "./lib/platform/log_console.ts";
import { makeBackups, openBackupStatus } from "./lib/server/backup/open_backups.ts";
import { describeClientAddressSource } from "./lib/http/client_address.ts";
import { prefetchStore } from "./lib/server/composition/prefetch_store.ts";
import { openService, SMALL_MEMORY_LIMITS } from "./lib/server/composition/open_service.ts";
import { adminCommands } from "./lib/server/commands/admin_commands.ts";
import { printBanner } from "./lib/server/process/print_banner.ts";
import { type ControlSocket, serveControlSocket } from "./lib/server/commands/control_socket.ts";
import { RestartingServer, type Stoppable } from "./lib/server/process/restarting_server.ts";
import { PendingResponses } from "./lib/server/process/pending_responses.ts";
import { openServedStore } from "./lib/server/process/open_served_store.ts";
import { openStore, type Store } from "./lib/server/process/open_store.ts";
import { runSupervisor } from "./lib/server/process/run_supervisor.ts";
import { serverCommand } from "./lib/server/process/server_command.ts";
import {
  readServerPlace,
  readySocket,
  type ServerPlace,
} from "./lib/server/process/server_place.ts";
import { StartupError } from "./lib/server/process/startup_error.ts";
import { loadTracing } from "./lib/server/telemetry/otel_tracing.ts";
import { socketPeers } from "./lib/server/telemetry/metrics_peers.ts";
import { monitorStoreFile } from "./lib/server/process/store_health.ts";
import { shutDown, waitForStopSignal } from "./lib/server/process/shut_down.ts";
import { readCatalogue } from "./lib/server/composition/open_providers.ts";
import { readScripts } from "./lib/server/composition/open_scripts.ts";
import { workerCommand } from "./lib/server/process/worker_command.ts";
import type { Service } from "./lib/http/service.ts";
import { setTimer, systemRuntime } from "./lib/platform/runtime.ts";

const root = import.meta.dirname!;
let opened: Promise<Service> | undefined;

/** Responses being sent; tracked if the host owns the server. */
const requests = import.meta.main ? undefined : new PendingResponses();

/** The App with all routes. Fresh's build adds file routes and browser code. */
export const app = createApp((request) => opened ??= openOrRetryLater(request), { requests });

// Deno Deploy stops processes without traffic, and wakes one for the sweep. Other hosts have no crons
// without a flag.
if (Deno.env.has("DENO_DEPLOY") && typeof Deno.cron === "function") {
  Deno.cron("sweep", "* * * * *", async () => {
    const service = await (opened ??= openOrRetryLater());
    await service.orphanedRuns.sweep();
    await service.visitorErasures.sweep();
    await service.tenantDeletions.sweep();
    service.crawls.wake();
    await service.crawls.whenIdle();
    await service.documents.sweep();
    await service.documents.whenIdle();
    await service.attachmentSweeper.sweepIfDue();
    await service.auditChainer.sweepIfDue();
  });
}

if (import.meta.main) serve().catch(exitWithError);

/** The address for `dev.ts`, which listens itself, and the banner to print afterwards. */
export function development() {
  const { port, host } = readConfig(Deno.env.toObject());
  return {
    port,
    hostname: host,
    printBanner: async () => await printBanner(await (opened ??= openOrRetryLater())),
  };
}

/** If opening fails, the next request tries again. */
function openOrRetryLater(request?: Request): Promise<Service> {
  return openFromEnvironment(request).catch((error) => {
    logger().error("the service could not be opened", { error });
    opened = undefined;
    throw error;
  });
}

/** Opens the service with the first request, if the host owns the server or on Deno Deploy. */
async function openFromEnvironment(request: Request | undefined): Promise<Service> {
  const config = readConfig(Deno.env.toObject());
  if (config.workers > 1) {
    logger(config.logLevel).warn("WORKERS is ignored: only deno task start runs several processes");
  }
  const prefetch = prefetchStore(Deno.openKv, request);
  const store = await openStore(config, { openKv: prefetch.openKv, runtime: systemRuntime });
  const baseUrl = config.publicUrl ?? localUrl(config, config.port);
  const openDemoInBackground = request !== undefined || config.onDenoDeploy;
  const service = await open(config, { store, baseUrl, openDemoInBackground });
  prefetch.discard();
  if (requests !== undefined) {
    void shutDownAfter(waitForStopSignal(), { service, server: requests });
  }
  return service;
}

async function shutDownAfter(
  stopped: Promise<void>,
  options: { service: Service; server: Stoppable; control?: ControlSocket | undefined },
): Promise<void> {
  await stopped;
  await shutDown(options);
}

/** The logger of this process; writes to where the host collects logs. */
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
  openDemoInBackground?: boolean;
  /** Set in one of several server processes. */
  place?: ServerPlace | undefined;
}

/** Opens the service. Closes the store if that fails, so that the next attempt can open it. */
async function open(config: Config, options: OpenOptions): Promise<Service> {
  const { store } = options;
  const log = logger(config.logLevel);
  const monitor = await monitorStoreFile(store.file, { log, runtime: systemRuntime });
  const close = () => {
    monitor.close();
    return store.close();
  };
  const composed = compose(config, { ...options, log, isInPlace: monitor.isInPlace, close });
  const service = await composed.catch(async (error) => {
    await close();
    throw error;
  });
  const source = describeClientAddressSource(config.trustedProxyHops);
  log.info(`client addresses come from ${source}`);
  // Settles runs of a killed process before new ones start. With exclusive access all other runs are
  // orphaned; otherwise their leases are watched first.
  const swept = service.orphanedRuns.sweep({ alone: store.isExclusive });
  if (store.isExclusive) await swept;
  service.orphanedRuns.start();
  service.visitorErasures.start();
  service.tenantDeletions.start();
  service.trialJobs.startSweeps();
  service.documents.start();
  service.crawls.start();
  service.attachmentSweeper.start();
  service.auditChainer.start();
  return service;
}

async function compose(
  config: Config,
  { store, baseUrl, openDemoInBackground = false, place, log, isInPlace, close }: OpenOptions & {
    log: Logger;
    isInPlace: () => boolean;
    close: () => Promise<void>;
  },
): Promise<Service> {
  return await openService({
    ...{ config, runtime: systemRuntime, log, baseUrl, openDemoInBackground, close },
    setTimer: (ms, callback) => setTimer(systemRuntime, ms, callback),
    kv: store.kv,
    hmacSecrets: store.hmacSecrets,
    encryptionKeys: store.encryptionKeys,
    scripts: await readScripts(`${root}/_fresh`),
    catalogue: await readCatalogue(config.catalogueFile),
    isStoreInPlace: isInPlace,
    createTracing: await loadTracing(Deno.env.toObject(), { hasContent: config.otelContent }),
    peers: place &&
      socketPeers(place, { expected: config.workers, log, runtime: systemRuntime }),
    backups: openBackupStatus(config, { kv: store.kv, runtime: systemRuntime }),
    memory: config.onDenoDeploy ? SMALL_MEMORY_LIMITS : undefined,
    worker: config.onDenoDeploy ? undefined : await workerCommand(root, Deno.env.toObject()),
  });
}

/** Serves until a stop signal. */
async function serve(): Promise<void> {
  // Before anything else, so that a signal during the start is not lost.
  const stopped = waitForStopSignal();
  const config = readConfig(Deno.env.toObject());
  if (config.onDenoDeploy) return await serveOnDeploy(config, stopped);
  const place = readServerPlace(Deno.env.toObject());
  if (place === undefined && config.workers > 1) return await supervise(config, stopped);
  const prefetch = prefetchStore(Deno.openKv);
  const store = await openStoreAt(place, {
    config,
    openKv: prefetch.openKv,
    wrapKv: prefetch.wrapKv,
  });
  const ready = Promise.withResolvers<Service>();
  opened = ready.promise;
  const server = await listen(config, { log: logger(config.logLevel), place });
  const baseUrl = config.publicUrl ?? localUrl(config, server.addr.port);
  const service = await open(config, { store, baseUrl, place });
  prefetch.discard();
  ready.resolve(service);
  // The first of several server processes takes the commands, makes the backups, and prints the banner.
  const isFirstNumber = (place?.number ?? 1) === 1;
  const control = isFirstNumber ? serveCommands(config, service) : undefined;
  const env = Deno.env.toObject();
  if (isFirstNumber) {
    void makeBackups(config, { ...service, status: service.backups, root, env, stopped });
  }
  if (place?.isFirst ?? true) await printBanner(service);
  if (place?.isFirst) await reportReady(place, server.addr.port);
  await shutDownAfter(stopped, { server, control, service });
}

/** Runs several server processes, which listen on one port, until a stop signal. */
async function supervise(config: Config, stopped: Promise<void>): Promise<void> {
  const log = logger(config.logLevel);
  const command = await serverCommand(root, Deno.env.toObject());
  // Fails if the port is in use: processes that share a port would also share it with a stranger.
  if (config.port !== 0) Deno.listen({ hostname: config.host, port: config.port }).close();
  const options = { command, stopped, log, runtime: systemRuntime };
  Deno.exit(await runSupervisor({ config, openKv: Deno.openKv, ...options }));
}

/** Opens the store of a single process, or of one of several. */
async function openStoreAt(
  place: ServerPlace | undefined,
  { config, openKv, wrapKv }: {
    config: Config;
    openKv: (path?: string) => Promise<Deno.Kv>;
    wrapKv: (kv: Deno.Kv) => Deno.Kv;
  },
): Promise<Store> {
  const runtime = systemRuntime;
  if (place === undefined) return await openStore(config, { openKv, runtime });
  const onLost = (error: Error) => {
    logger(config.logLevel).error("the supervisor has ended", { error });
    Deno.exit(1);
  };
  return await openServedStore(config, { place, openKv, wrapKv, onLost, runtime });
}

async function reportReady(place: ServerPlace, port: number): Promise<void> {
  const conn = await Deno.connect({ transport: "unix", path: readySocket(place.dir) });
  await new Response(String(port)).body!.pipeTo(conn.writable);
}

/**
 * The platform sends requests as soon as the process listens, and stops it 5 seconds after a signal. If
 * the store cannot be opened, requests get a 503 and try again; exiting would show as a 502.
 */
async function serveOnDeploy(config: Config, stopped: Promise<void>): Promise<void> {
  const server = await listen(config, { log: logger(config.logLevel) });
  (opened ??= openOrRetryLater()).catch(() => {});
  await stopped;
  const service = await opened?.catch(() => undefined);
  if (service !== undefined) return await shutDown({ server, service });
  await server.shutdown();
  Deno.exit(0);
}

/** Accepts commands of the command line, which opens a shared store itself. */
function serveCommands(config: Config, service: Service): ControlSocket | undefined {
  if (config.kvUrl !== undefined) return undefined;
  const handlers = adminCommands(service);
  const path = `${config.dataDir}/control.sock`;
  return serveControlSocket({ path, handlers, log: service.log, runtime: service.runtime });
}

/** Imports Fresh's server module late, because it imports this one. */
async function listen(
  config: Config,
  { log, place }: { log: Logger; place?: ServerPlace | undefined },
): Promise<RestartingServer<Deno.NetAddr>> {
  const module: string = new URL("./_fresh/server.js", import.meta.url).href;
  const { default: { fetch } }: { default: { fetch: Deno.ServeHandler } } = await import(module);
  const onError = (error: unknown) => {
    log.error("a request failed", { error });
    return new Response("Internal Server Error", { status: 500 });
  };
  const reusePort = place !== undefined;
  const options = { hostname: config.host, reusePort, onError, onListen: () => {} };
  const listen = (address?: Deno.NetAddr) =>
    Deno.serve({ ...options, port: address?.port ?? config.port }, fetch);
  return new RestartingServer(listen, { name: "the server", log, runtime: systemRuntime });
}

function exitWithError(error: unknown): never {
  if (error instanceof ConfigError || error instanceof StartupError) console.error(error.message);
  else if (error instanceof Deno.errors.AddrInUse) {
    console.error("the port is in use: stop the other process, or set PORT to another port");
  } else console.error(error);
  Deno.exit(1);
}
