/** What one worker process may take, as the operating system enforces it. */
export interface WorkerLimits {
  /** JavaScript's own heap. */
  heapMiB: number;
  /** All memory of the process, buffers included. */
  memoryMiB: number;
  /** For as long as the process lives: a backstop for one whose service has died. */
  cpuSeconds: number;
}

export const WORKER_LIMITS: WorkerLimits = { heapMiB: 512, memoryMiB: 768, cpuSeconds: 120 };

/** V8 reserves this for compiled code; the limit of data counts it although little of it is used. */
const CODE_RANGE_MIB = 544;

/** Where a worker's program is, and what runs it. */
export interface WorkerProgram {
  /** Path of the Deno executable. */
  deno: string;
  /** Folder of the service's `deno.json`. */
  root: string;
  /** The cache of compiled modules, for a quick start. */
  env: Partial<Record<"DENO_DIR" | "HOME" | "XDG_CACHE_HOME", string>>;
}

/**
 * A shell script that becomes a worker process: it sets the limits, drops the environment, and takes no
 * arguments, so whoever may run it can run nothing else. A limit that the system already holds lower
 * stays. Signals from a terminal are for the service, which ends its workers itself.
 */
export function workerScript(
  { deno, root, env }: WorkerProgram,
  limits: WorkerLimits = WORKER_LIMITS,
): string {
  const flags = [
    `--max-old-space-size=${limits.heapMiB}`,
    // One core a worker: its CPU time is its running time.
    "--single-threaded-gc",
    // No document's text ever becomes code.
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

/** One word of a shell's command, whatever it holds. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
