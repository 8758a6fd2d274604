/** The examples of backends that mint session tokens, started as their READMEs say. */
import { freePort } from "./free_port.ts";
import { mustRun } from "./npm_project.ts";
import { createVenv, installPython } from "./python_project.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

export interface BackendExample {
  /** Its folder in `examples/`. */
  readonly folder: string;
  readonly name: string;
  /** What has to fetch packages, if anything. */
  readonly needs?: "npm" | "pip";
}

export const BACKEND_EXAMPLES: readonly BackendExample[] = [
  { folder: "express", name: "Express", needs: "npm" },
  { folder: "hono", name: "Hono", needs: "npm" },
  { folder: "nextjs", name: "Next.js", needs: "npm" },
  { folder: "fresh", name: "Fresh" },
  { folder: "fastapi", name: "FastAPI", needs: "pip" },
  { folder: "django", name: "Django", needs: "pip" },
];

/** A copy of an example that serves on a port of its own. */
export class RunningExample implements AsyncDisposable {
  readonly url: string;
  #folder: string;
  #process: Deno.ChildProcess;
  #output: Promise<string>;

  private constructor(
    parts: { url: string; folder: string; process: Deno.ChildProcess; output: Promise<string> },
  ) {
    this.url = parts.url;
    this.#folder = parts.folder;
    this.#process = parts.process;
    this.#output = parts.output;
  }

  /** Resolves when it accepts connections. */
  static async start(
    { folder: name, needs }: BackendExample,
    env: Record<string, string>,
  ): Promise<RunningExample> {
    const folder = await Deno.makeTempDir();
    await copyFolder(`${ROOT}examples/${name}`, folder);
    const port = freePort();
    const { program, args } = await (needs === "pip" ? preparePython : prepare)(name, {
      folder,
      port,
    });
    const process = new Deno.Command(program, {
      args,
      cwd: folder,
      clearEnv: true,
      env: { ...baseEnvironment(), PORT: `${port}`, ...env },
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const output = readUntilReady(process);
    const parts = { url: `http://127.0.0.1:${port}`, folder, process, output: output.all };
    const example = new RunningExample(parts);
    await output.ready.catch(async (error) => {
      await example[Symbol.asyncDispose]();
      throw error;
    });
    return example;
  }

  /** A visitor's request. */
  post(headers: HeadersInit = {}): Promise<Response> {
    return fetch(`${this.url}/chat-session`, { method: "POST", headers });
  }

  /** Ends the program. Returns everything that it has printed. */
  async stop(): Promise<string> {
    try {
      this.#process.kill("SIGKILL");
    } catch { /* it has ended */ }
    await this.#process.status;
    return await this.#output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await Deno.remove(this.#folder, { recursive: true }).catch(() => {});
  }
}

/** Installs and builds; npm keeps what it fetches in the user's own cache. */
async function prepare(
  name: string,
  { folder, port }: { folder: string; port: number },
): Promise<{ program: string; args: string[] }> {
  if (name === "fresh") {
    // JSR is not reachable everywhere: this repository's configuration has the same packages.
    const config = ["run", "--cached-only", "--config", `${ROOT}deno.json`];
    const { tasks } = JSON.parse(await Deno.readTextFile(`${folder}/deno.json`));
    return { program: Deno.execPath(), args: [...config, ...tasks.start.split(" ").slice(2)] };
  }
  const env = baseEnvironment();
  const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts"];
  await mustRun(folder, { program: "npm", args: install, env });
  if (name !== "nextjs") return { program: "node", args: ["server.js"] };
  const next = "node_modules/next/dist/bin/next";
  await mustRun(folder, { program: "node", args: [next, "build"], env });
  return { program: "node", args: [next, "start", "-H", "127.0.0.1", "-p", `${port}`] };
}

async function preparePython(
  name: string,
  { folder, port }: { folder: string; port: number },
): Promise<{ program: string; args: string[] }> {
  await createVenv(folder);
  await installPython(folder, ["-r", "requirements.txt"]);
  const django = ["-m", "django", "runserver", "--noreload", "--settings", "site_settings"];
  const args = name === "django"
    ? [...django, "--pythonpath", ".", `127.0.0.1:${port}`]
    : ["-m", "uvicorn", "main:app", "--no-proxy-headers", "--port", `${port}`];
  return { program: `${folder}/venv/bin/python`, args };
}

function baseEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "" } = Deno.env.toObject();
  return { PATH, HOME, NEXT_TELEMETRY_DISABLED: "1", PYTHONUNBUFFERED: "1" };
}

/** Generous: it only limits how long an example that never says so hangs. */
const READY_TIMEOUT_MS = 60_000;
const READY = /Ready in|[Ll]istening on|Fresh ready|running on|Starting development server/;

/** Every server prints a line when it listens. */
function readUntilReady({ stdout, stderr, status }: Deno.ChildProcess) {
  const ready = Promise.withResolvers<void>();
  let printed = "";
  const fail = (reason: string) => ready.reject(new Error(`the example ${reason}: ${printed}`));
  const timer = setTimeout(() => fail("is not ready"), READY_TIMEOUT_MS);
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      printed += text;
      if (READY.test(printed)) ready.resolve();
    }
  };
  const all = Promise.all([read(stdout), read(stderr), status]).then(() => {
    fail("ended");
    return printed;
  });
  return { ready: ready.promise.finally(() => clearTimeout(timer)), all };
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (name === "node_modules" || name === ".next") continue;
    if (isDirectory) await copyFolder(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}
