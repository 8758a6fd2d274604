import { setTimeout as delay } from "node:timers/promises";
import { ChatClient } from "./client.ts";
import { type ProcessOptions, ServerProcess } from "./process.ts";

/** One start of a process. */
export interface ColdStart {
  /** Milliseconds from the start of the process to the first text of its first answer. */
  firstMs: number;
  /** CPU time of the process until then, milliseconds; the system counts in steps of 10. */
  cpuMs: number;
  /** Bytes of memory when the answer has ended and nothing else happens. */
  rss: number;
}

const RETRY_MS = 1;
const IDLE_MS = 1_500;
const TIMEOUT_MS = 60_000;

/** Starts a process that will listen on `port`, sends it one request, and stops it. */
export async function measureColdStart(
  options: ProcessOptions,
  { port, request }: { port: number; request: Uint8Array },
): Promise<ColdStart> {
  const startedAt = performance.now();
  await using process = ServerProcess.spawn(options, port);
  using client = await connect(port);
  await client.open(request);
  const firstMs = performance.now() - startedAt;
  const cpuMs = await process.cpuMs();
  await delay(IDLE_MS);
  return { firstMs, cpuMs, rss: await process.rss() };
}

/** Tries until the server listens. */
async function connect(port: number): Promise<ChatClient> {
  const until = performance.now() + TIMEOUT_MS;
  while (true) {
    try {
      return await ChatClient.connect(port);
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
      if (performance.now() > until) throw new Error("the server never listened", { cause: error });
      await delay(RETRY_MS);
    }
  }
}
