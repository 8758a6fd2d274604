import { shellQuote } from "../../../platform/shell_quote.ts";

/** Limits of one worker process, which the operating system enforces. */
export interface WorkerLimits {
  heapMiB: number;
  memoryMiB: number;
  /** For the lifetime of the process; ends it if the service has died. */
  cpuSeconds: number;
}

export const WORKER_LIMITS: WorkerLimits = { heapMiB: 512, memoryMiB: 768, cpuSeconds: 120 };

/** V8 reserves this address space for code, and `ulimit -d` counts it. */
const CODE_RANGE_MIB = 544;

export interface WorkerProgram {
  deno: string;
  /** Folder of the service's `deno.json`. */
  root: string;
  /** Locates Deno's cache, for a quick start. */
  env: Partial<Record<"DENO_DIR" | "HOME" | "XDG_CACHE_HOME", string>>;
}

/**
 * A shell script that becomes a worker process: it sets the limits, drops the environment, and takes no
 * arguments, so that permission to run it allows nothing else. Lower limits of the system stay. Signals
 * from a terminal are ignored, because the service ends its workers.
 */
export function workerScript(
  { deno, root, env }: WorkerProgram,
  limits: WorkerLimits = WORKER_LIMITS,
): string {
  const flags = [
    `--max-old-space-size=${limits.heapMiB}`,
    // With one thread, CPU time is running time.
    "--single-threaded-gc",
    "--disallow-code-generation-from-strings",
  ];
  const variables = Object.entries({ NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env })
    .map(([name, value]) => shellQuote(`${name}=${value}`));
  const command = [
    ...["/usr/bin/env", "-i", ...variables, shellQuote(deno)],
    ...["run", "--quiet", "--no-prompt", "--no-remote", "--cached-only", "--no-lock"],
    ...["--node-modules-dir=manual", "--config", shellQuote(`${root}/deno.json`)],
    ...[`--v8-flags=${flags.join(",")}`, shellQuote(`${root}/lib/knowledge/ingest/worker/main.ts`)],
  ];
  return [
    "unset -f ulimit 2>/dev/null",
    "trap '' HUP INT TERM",
    "ulimit -c 0 2>/dev/null",
    `ulimit -t ${limits.cpuSeconds} 2>/dev/null`,
    `ulimit -d ${(limits.memoryMiB + CODE_RANGE_MIB) * 1_024} 2>/dev/null`,
    `exec ${command.join(" ")}`,
    "",
  ].join("\n");
}
