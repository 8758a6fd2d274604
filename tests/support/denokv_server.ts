import { freePort } from "./free_port.ts";

/** Shared by all test servers: Deno reads one variable, and test files run in parallel. */
export const DENOKV_TOKEN = "the token of denokv servers in tests";

/** A `denokv` server with an empty store, which processes share as in production. */
export class DenokvServer implements AsyncDisposable {
  readonly port: number;
  readonly #bin: string;
  readonly #dir: string;
  #child: Deno.ChildProcess;

  private constructor(parts: { bin: string; dir: string; port: number }) {
    this.#bin = parts.bin;
    this.#dir = parts.dir;
    this.port = parts.port;
    this.#child = this.#spawn();
  }

  /** Starts the server executable `bin` and waits until it responds. */
  static async start(bin: string): Promise<DenokvServer> {
    const dir = await Deno.makeTempDir();
    // Deno reads it when a store is opened by URL.
    Deno.env.set("DENO_KV_ACCESS_TOKEN", DENOKV_TOKEN);
    const server = new DenokvServer({ bin, dir, port: freePort() });
    await server.#ready();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Kills the server like a crash. Returns a function that restarts it. */
  async crash(): Promise<() => Promise<void>> {
    await this.#kill();
    return async () => {
      this.#child = this.#spawn();
      await this.#ready();
    };
  }

  #spawn(): Deno.ChildProcess {
    const addr = `127.0.0.1:${this.port}`;
    return new Deno.Command(this.#bin, {
      args: ["--sqlite-path", `${this.#dir}/kv.sqlite3`, "serve", "--addr", addr],
      env: { DENO_KV_ACCESS_TOKEN: DENOKV_TOKEN },
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  async #ready(): Promise<void> {
    const child = this.#child;
    let ended = false;
    void child.status.then(() => ended = true);
    while (!ended) {
      try {
        return (await Deno.connect({ hostname: "127.0.0.1", port: this.port })).close();
      } catch {
        // Not listening yet.
      }
    }
    throw new Error("the denokv server has ended");
  }

  /** `SIGSTOP` stops it with its connections open, `SIGCONT` continues it. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(signal);
  }

  async #kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kill();
    await Deno.remove(this.#dir, { recursive: true });
  }
}
