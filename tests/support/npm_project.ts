/** Empty Node projects in temporary folders, and our npm packages as files to install there. */
import { buildSync } from "esbuild";
import { buildPackage, NPM_PACKAGES } from "@/tools/build_packages.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** A registry that does not answer is as good as none. */
const REGISTRY_TIMEOUT_MS = 20_000;
/** Declarations of React, Node and the DOM are not what a test is about, and take most of its time. */
export const OWN_FILES_ONLY = "--skipLibCheck";
const TSC = `${ROOT}node_modules/typescript/bin/tsc`;

/** How a program ended, with what it printed. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of Node's, with no more of the environment than `PATH` and a home without settings. */
export async function runIn(
  folder: string,
  { program, args, env = {} }: {
    program: string;
    args: readonly string[];
    env?: Record<string, string>;
  },
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd: folder,
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: folder, ...env },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, stdout: out!, stderr: err! };
}

/** As `runIn`, and throws unless the program succeeds. Returns what it printed. */
export async function mustRun(
  folder: string,
  command: { program: string; args: readonly string[]; env?: Record<string, string> },
): Promise<string> {
  const { code, stdout, stderr } = await runIn(folder, command);
  if (code !== 0) {
    throw new Error(`${command.program} ${command.args.join(" ")}: ${stdout}${stderr}`);
  }
  return stdout;
}

/** A folder with a `package.json`, removed at the end. */
export class NpmProject implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(manifest: Record<string, unknown> = {}): Promise<NpmProject> {
    const project = new NpmProject(await Deno.makeTempDir());
    const text = JSON.stringify({ name: "site", private: true, type: "module", ...manifest });
    await project.write("package.json", text);
    return project;
  }

  async write(file: string, text: string): Promise<void> {
    await Deno.writeTextFile(`${this.folder}/${file}`, text);
  }

  /**
   * Builds and packs packages of ours, and installs the files. The registry is an address that nothing
   * listens on, so a package with a dependency that is not installed yet fails.
   */
  async installOwn(...folders: string[]): Promise<void> {
    const files: string[] = [];
    for (const folder of folders) files.push(await this.#addPacked(folder));
    await this.npm(["install", "--offline", "--legacy-peer-deps", ...files], {
      NPM_CONFIG_REGISTRY: "http://127.0.0.1:1",
    });
  }

  async #addPacked(folder: string): Promise<string> {
    const file = `${this.folder}/.packed/${folder}.tgz`;
    await Deno.mkdir(`${this.folder}/.packed`, { recursive: true });
    await Deno.writeFile(file, await packed(folder));
    return file;
  }

  async npm(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const quiet = ["--no-audit", "--no-fund", "--no-update-notifier"];
    return await mustRun(this.folder, { program: "npm", args: [...args, ...quiet], env });
  }

  /** Links packages that this repository has installed, with what they need. */
  async link(...names: string[]): Promise<void> {
    for (const name of names) {
      const target = `${this.folder}/node_modules/${name}`;
      await Deno.mkdir(target.replace(/\/[^/]+$/, ""), { recursive: true });
      await Deno.symlink(await Deno.realPath(`${ROOT}node_modules/${name}`), target);
    }
  }

  /** Type-checks files with the pinned TypeScript; returns its messages. */
  async typeErrors(files: readonly string[], options: readonly string[] = []): Promise<string> {
    const strict = ["--noEmit", "--strict", "--target", "es2022"];
    const args = [TSC, ...strict, ...options, ...files];
    return (await runIn(this.folder, { program: "node", args })).stdout;
  }

  /** Bundles a file as an application's own build would, in development mode. */
  bundle(entry: string, platform: "browser" | "node" = "browser"): string {
    const { outputFiles: [file] } = buildSync({
      entryPoints: [entry],
      absWorkingDir: this.folder,
      bundle: true,
      write: false,
      format: "esm",
      platform,
      jsx: "automatic",
      jsxImportSource: "react",
      tsconfigRaw: {},
      logLevel: "silent",
      ...platform === "browser"
        ? { define: { "process.env.NODE_ENV": '"development"' } }
        : { packages: "external" as const },
    });
    return file!.text;
  }

  /** Bundles a file and runs it in Node. Returns the JSON that it prints. */
  async runBundled(entry: string, env: Record<string, string> = {}): Promise<unknown> {
    await this.write("bundled.js", this.bundle(entry, "node"));
    const command = { program: "node", args: ["bundled.js"], env };
    return JSON.parse(await mustRun(this.folder, command));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** Tests of one file share the packed files: the source does not change in between. */
const PACKED = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

function packed(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  return PACKED.getOrInsertComputed(folder, pack);
}

/** Builds a package of ours as `npm pack` writes it. */
async function pack(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const npmPackage = NPM_PACKAGES.find((one) => one.folder === folder)!;
  const out = await Deno.makeTempDir();
  try {
    await buildPackage(npmPackage, out);
    const printed = await mustRun(out, { program: "npm", args: ["pack", "--json"] });
    const [{ filename }] = JSON.parse(printed.slice(printed.indexOf("[\n")));
    return await Deno.readFile(`${out}/${filename}`);
  } finally {
    await Deno.remove(out, { recursive: true });
  }
}

/** The code blocks of a package's README in this language. */
export async function readmeExamples(folder: string, language: string): Promise<string[]> {
  const text = await Deno.readTextFile(`${ROOT}packages/${folder}/README.md`);
  const blocks = text.matchAll(new RegExp("```" + language + "\n(.*?)```", "gs"));
  return [...blocks].map(([, code]) => code!);
}

/** Whether the registry has a package; says on standard error if it cannot be reached. */
export async function canReachNpm(name: string): Promise<boolean> {
  try {
    const { success } = await new Deno.Command("npm", {
      args: ["view", name, "version", "--prefer-online", "--fetch-retries=0"],
      cwd: "/",
      stdout: "null",
      stderr: "null",
      signal: AbortSignal.timeout(REGISTRY_TIMEOUT_MS),
    }).output();
    if (success) return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  console.error(`SKIPPED: tests that install ${name}, because npm cannot get it`);
  return false;
}
