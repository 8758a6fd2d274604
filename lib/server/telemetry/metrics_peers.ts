import type { Logger } from "../../platform/log.ts";
import type { MetricFamily } from "../../platform/metrics/metric_family.ts";
import { type Runtime, setTimer } from "../../platform/runtime.ts";
import { metricsSocket, type ServerPlace } from "../process/server_place.ts";

/** How long another process may take to report; one that hangs is missing in the answer. */
const TIMEOUT_MS = 2_000;

/** The server processes of one supervisor, which report their metrics to each other. */
export interface MetricsPeers {
  /** The number of this process, from 1. */
  readonly number: number;
  /** How many processes there should be. */
  readonly expected: number;
  /** The metrics of the others, by their numbers; without those that do not answer. */
  read(): Promise<Map<number, MetricFamily[]>>;
  /** Answers the others with what `collect` returns, until `close`. */
  serve(collect: () => Promise<MetricFamily[]>): void;
  close(): Promise<void>;
}

/** The only process of a service. */
export const NO_PEERS: MetricsPeers = {
  number: 1,
  expected: 1,
  read: () => Promise.resolve(new Map()),
  serve: () => {},
  close: () => Promise.resolve(),
};

/**
 * Reads the other processes through sockets in the supervisor's folder, which only this user may enter. The
 * processes share a port, so that a scraper cannot address one of them.
 */
export function socketPeers(
  { number, dir }: ServerPlace,
  { expected, log, runtime }: { expected: number; log: Logger; runtime: Runtime },
): MetricsPeers {
  let server: Deno.HttpServer<Deno.UnixAddr> | undefined;
  return {
    number,
    expected,
    async read() {
      const others = Array.from({ length: expected }, (_, n) => n + 1).filter((n) => n !== number);
      const answers = await Promise.all(others.map(async (n) => {
        const families = await readPeer(metricsSocket(dir, n), runtime).catch((error) => {
          log.debug("a server process does not report its metrics", { process: n, error });
        });
        return families === undefined ? [] : [[n, families] as const];
      }));
      return new Map(answers.flat());
    },
    serve(collect) {
      const path = metricsSocket(dir, number);
      // That of the process that this one replaces.
      removeIfExists(path);
      const answer = async () => Response.json(await collect());
      server = Deno.serve({ path, onListen: () => {} }, answer);
    },
    close: async () => await server?.shutdown(),
  };
}

async function readPeer(path: string, runtime: Runtime): Promise<MetricFamily[]> {
  using client = Deno.createHttpClient({ proxy: { transport: "unix", path } });
  const abort = new AbortController();
  const cancelTimer = setTimer(runtime, TIMEOUT_MS, () => abort.abort());
  try {
    const request = { client, signal: abort.signal };
    const response = await fetch("http://localhost/", request);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return await response.json();
  } finally {
    cancelTimer();
  }
}

function removeIfExists(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
