/** Ticks of `/proc/<pid>/stat` a second, which Linux fixes for user space. */
const TICKS_A_SECOND = 100;

export interface ProcessOptions {
  command: string;
  args: readonly string[];
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}

/** A server in a process of its own, measured from outside. Linux only: it reads `/proc`. */
export class ServerProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly port: number;

  private constructor(child: Deno.ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Starts a server; resolves once it has printed its port, alone or at the end of an address. */
  static async start({ command, args, cwd, env }: ProcessOptions): Promise<ServerProcess> {
    const child = new Deno.Command(command, {
      args: [...args],
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
    }).spawn();
    const lines = child.stdout.pipeThrough(new TextDecoderStream());
    let printed = "";
    for await (const text of lines) {
      printed += text;
      const port = /^(?:listening on http:\/\/127\.0\.0\.1:)?(\d+)$/m.exec(printed)?.[1];
      if (port !== undefined) return new ServerProcess(child, Number(port));
    }
    throw new Error(`${command} ${args.join(" ")} exited before it listened: ${printed}`);
  }

  /** Starts a server that will listen on `port`, without waiting until it does. */
  static spawn({ command, args, cwd, env }: ProcessOptions, port: number): ServerProcess {
    const child = new Deno.Command(command, {
      args: [...args],
      stdin: "null",
      stdout: "null",
      stderr: "inherit",
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
    }).spawn();
    return new ServerProcess(child, port);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** CPU time of all its threads so far, in milliseconds. */
  async cpuMs(): Promise<number> {
    const stat = await Deno.readTextFile(`/proc/${this.#child.pid}/stat`);
    // The name in parentheses may hold spaces; utime and stime are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 1000 / TICKS_A_SECOND;
  }

  /** Resident memory in bytes. */
  async rss(): Promise<number> {
    const status = await Deno.readTextFile(`/proc/${this.#child.pid}/status`);
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      // Not SIGKILL: a profiler writes its results when the process exits.
      this.#child.kill("SIGTERM");
    } catch {
      // It has already exited.
    }
    await this.#child.status;
  }
}
