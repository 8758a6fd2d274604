import { freePort } from "../free_port.ts";
import { type DeployStore, ENTRY, runtimeEnv, STOP_MS } from "./platform.ts";

export interface DeployOptions {
  /** Deno's program, and the folder with the built service. */
  deno: string;
  root: string;
  store: DeployStore;
  /** More settings of the operator. */
  env?: Record<string, string>;
  /** More flags of Deno; only ones that restrict it. */
  flags?: readonly string[];
  /** Arguments instead of `run -A main.ts`. */
  args?: readonly string[];
  /** The user that the process runs as. */
  uid?: number;
}

/** How a process ended. */
export interface ProcessExit {
  status: Deno.CommandStatus;
  /** Milliseconds from SIGINT to the end. */
  ms: number;
  /** Whether it had to be killed. */
  killed: boolean;
}

/** The service as Deno Deploy starts and stops it. */
export class DeployedProcess implements AsyncDisposable {
  readonly url: string;
  readonly #child: Deno.ChildProcess;
  readonly #output: Promise<string>;
  #ended = false;

  private constructor(url: string, child: Deno.ChildProcess) {
    this.url = url;
    this.#child = child;
    const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
    this.#output = Promise.all(texts).then((both) => both.join(""));
    void child.status.then(() => this.#ended = true);
  }

  /** Starts the process and waits until it serves requests. Throws with its output if it ends before. */
  static async start(options: DeployOptions): Promise<DeployedProcess> {
    const { deno, root, store, env, flags = [], uid } = options;
    const port = freePort();
    const child = new Deno.Command(deno, {
      args: [...options.args ?? ["run", "-A", ...flags, ENTRY]],
      cwd: root,
      clearEnv: true,
      env: { ...runtimeEnv(port, store), ...env },
      ...uid !== undefined && { uid, gid: uid },
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const process = new DeployedProcess(`http://127.0.0.1:${port}`, child);
    await process.#listening();
    return process;
  }

  /** Peak memory in bytes. */
  async peakBytes(): Promise<number> {
    const status = await Deno.readTextFile(`/proc/${this.#child.pid}/status`);
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1_024;
  }

  /** Its whole output, once it ends. */
  get output(): Promise<string> {
    return this.#output;
  }

  /** SIGINT, and SIGKILL 5 seconds later. */
  async stop(): Promise<ProcessExit> {
    const begun = performance.now();
    this.#child.kill("SIGINT");
    let killed = false;
    const timer = setTimeout(() => {
      killed = true;
      this.#child.kill("SIGKILL");
    }, STOP_MS);
    const status = await this.#child.status;
    clearTimeout(timer);
    return { status, ms: performance.now() - begun, killed };
  }

  async #listening(): Promise<void> {
    while (!this.#ended) {
      const answer = await fetch(`${this.url}/healthz`).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.ok) return;
    }
    throw new Error(`the process has ended: ${await this.#output}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#ended) this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#output;
  }
}
