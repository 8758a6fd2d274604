/** Limits that a container engine may set where it may not raise them. */
const OWN_LIMITS = ["--ulimit=nofile=1024:4096", "--ulimit=nproc=1024:4096"];
/** Engines, and how they run in a virtual machine that gives them fewer rights. */
const ENGINES: Engine[] = [
  { command: ["docker"], flags: [] },
  { command: ["podman"], flags: [] },
  { command: ["podman", "--runtime=runc"], flags: [] },
  { command: ["podman", "--runtime=runc"], flags: OWN_LIMITS },
];

interface Engine {
  command: string[];
  /** More flags of `run`. */
  flags: string[];
}

/** Finds an engine that runs `image`; throws if there is none. */
export async function findEngine(image: string): Promise<Engine> {
  const failures: string[] = [];
  for (const engine of ENGINES) {
    const args = ["run", "--rm", "--network=none", ...engine.flags, "--entrypoint=/bin/true"];
    const { success, stderr } = await output(engine, [...args, image]);
    if (success) return engine;
    failures.push(`${engine.command.join(" ")}: ${stderr.trim().split("\n").at(-1)}`);
  }
  throw new Error(`no container engine runs ${image}:\n${failures.join("\n")}`);
}

/** A container with the sandbox of `compose.yaml` and no network at all. */
export class Container implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #id: string;

  private constructor(engine: Engine, id: string) {
    this.#engine = engine;
    this.#id = id;
  }

  static async start(
    engine: Engine,
    { image, env = {} }: { image: string; env?: Record<string, string> },
  ): Promise<Container> {
    const args = [
      ...["run", "--detach", "--read-only", "--network=none", "--cap-drop=all"],
      ...["--security-opt=no-new-privileges", "--tmpfs=/tmp", ...engine.flags],
      ...Object.entries(env).map(([name, value]) => `--env=${name}=${value}`),
    ];
    const { success, stdout, stderr } = await output(engine, [...args, image]);
    if (!success) throw new Error(stderr);
    return new Container(engine, stdout.trim());
  }

  /** Waits until a line of the container's output matches; throws if it ends before. */
  async until(line: RegExp): Promise<void> {
    while (!line.test(await this.logs())) {
      const format = "--format={{.State.Running}}";
      const { stdout } = await output(this.#engine, ["inspect", format, this.#id]);
      if (stdout.trim() !== "true") throw new Error(`the container ended: ${await this.logs()}`);
    }
  }

  /** Runs a command in the container and returns its standard output; throws if it fails. */
  async exec(args: string[]): Promise<string> {
    const { success, stdout, stderr } = await output(this.#engine, ["exec", this.#id, ...args]);
    if (!success) throw new Error(`${args.join(" ")} failed: ${stderr}`);
    return stdout;
  }

  /** Evaluates code with Deno in the container, the only one that reaches the service; prints JSON. */
  async evaluate<T>(code: string): Promise<T> {
    return JSON.parse(await this.exec(["deno", "eval", "--no-config", code]));
  }

  async logs(): Promise<string> {
    const { stdout, stderr } = await output(this.#engine, ["logs", this.#id]);
    return stdout + stderr;
  }

  /** Sends SIGTERM, and SIGKILL 10 seconds later; returns the exit code. */
  async stop(): Promise<number> {
    await output(this.#engine, ["stop", "--time=10", this.#id]);
    const format = "--format={{.State.ExitCode}}";
    return Number((await output(this.#engine, ["inspect", format, this.#id])).stdout);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await output(this.#engine, ["rm", "--force", "--volumes", this.#id]);
  }
}

async function output({ command: [program, ...words] }: Engine, args: string[]) {
  try {
    const { success, stdout, stderr } = await new Deno.Command(program!, {
      args: [...words, ...args],
    }).output();
    const decoder = new TextDecoder();
    return { success, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { success: false, stdout: "", stderr: "not installed" };
  }
}
