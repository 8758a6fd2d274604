import { freePort } from "./free_port.ts";

/** A `denokv` server of its own, with an empty store: what several processes share in production. */
export class DenokvServer implements AsyncDisposable {
  readonly url: string;
  readonly #child: Deno.ChildProcess;
  readonly #dir: string;

  private constructor(parts: { url: string; child: Deno.ChildProcess; dir: string }) {
    this.url = parts.url;
    this.#child = parts.child;
    this.#dir = parts.dir;
  }

  /** Starts the server whose program is `bin`; answers when it does. */
  static async start(bin: string): Promise<DenokvServer> {
    const dir = await Deno.makeTempDir();
    const token = crypto.randomUUID();
    // Deno reads it whenever a store is opened by its address.
    Deno.env.set("DENO_KV_ACCESS_TOKEN", token);
    const port = freePort();
    const child = new Deno.Command(bin, {
      args: ["--sqlite-path", `${dir}/kv.sqlite3`, "serve", "--addr", `127.0.0.1:${port}`],
      env: { DENO_KV_ACCESS_TOKEN: token },
      stdout: "null",
      stderr: "null",
    }).spawn();
    const server = new DenokvServer({ url: `http://127.0.0.1:${port}`, child, dir });
    await server.#ready(port);
    return server;
  }

  async #ready(port: number): Promise<void> {
    let ended = false;
    void this.#child.status.then(() => ended = true);
    while (!ended) {
      try {
        return (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      } catch {
        // It does not listen yet.
      }
    }
    throw new Error("the denokv server has ended");
  }

  /** `SIGSTOP` makes it silent with its connections open, `SIGCONT` ends that. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
    await Deno.remove(this.#dir, { recursive: true });
  }
}
