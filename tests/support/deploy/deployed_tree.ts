import { walkFiles } from "@/tools/walk_files.ts";
import { BUILD_ENV, BUILD_STEPS } from "./platform.ts";

/** Nobody's id on Debian and most others: it may read, and owns nothing. */
const NOBODY = 65_534;

/** The service built in a folder of its own, as the platform's builder does it, and read-only from then on. */
export class DeployedTree implements AsyncDisposable {
  readonly #dir: string;
  /** Deno's program where an unprivileged user can run it. */
  readonly deno: string;
  readonly root: string;
  /** Whom it is to be run as; unset where this process is itself unprivileged. */
  readonly uid: number | undefined;

  private constructor(dir: string) {
    this.#dir = dir;
    this.deno = `${dir}/bin/deno`;
    this.root = `${dir}/src`;
    this.uid = Deno.uid() === 0 ? NOBODY : undefined;
  }

  /** Takes what an upload of `source` would hold, and runs the build steps with the program `deno`. */
  static async build(source: string, deno: string): Promise<DeployedTree> {
    const tree = new DeployedTree(await Deno.makeTempDir());
    try {
      await Deno.mkdir(`${tree.#dir}/bin`);
      await Deno.copyFile(deno, tree.deno);
      await copySource(source, tree.root);
      for (const step of BUILD_STEPS) await tree.#build(step);
      await run(["chmod", "-R", "a+rX,a-w", tree.#dir]);
      return tree;
    } catch (error) {
      await tree[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Bytes of the source and of what the build has added, and its largest packages. */
  async sizes(): Promise<{ source: number; packages: number; largest: [string, number][] }> {
    const sizes = new Map<string, number>();
    for (const path of await walkFiles(this.root, "")) {
      const { size } = await Deno.lstat(`${this.root}${path}`);
      const [, name = ""] = /^\/node_modules\/\.deno\/([^/]+)/.exec(path) ?? [];
      sizes.set(name, (sizes.get(name) ?? 0) + size);
    }
    const source = sizes.get("") ?? 0;
    sizes.delete("");
    const largest = [...sizes].sort(([, a], [, b]) => b - a);
    const packages = largest.reduce((sum, [, size]) => sum + size, 0);
    return { source, packages, largest: largest.slice(0, 8) };
  }

  /** Every file with the time of its last change: the same as long as nothing was written. */
  async state(): Promise<string[]> {
    const paths = await walkFiles(this.root, "");
    const lines = paths.sort().map(async (path) => {
      const { mtime, size } = await Deno.lstat(`${this.root}${path}`);
      return `${path} ${size} ${mtime?.getTime()}`;
    });
    return await Promise.all(lines);
  }

  async #build(step: string): Promise<void> {
    const { HOME = "/", PATH = "/usr/bin:/bin", NODE_EXTRA_CA_CERTS, DENO_CERT } = Deno.env
      .toObject();
    // How this machine reaches the registry is no part of what is rehearsed.
    const certificates = DENO_CERT ?? NODE_EXTRA_CA_CERTS;
    await run(["/bin/sh", "-c", step], {
      cwd: this.root,
      clearEnv: true,
      env: {
        ...BUILD_ENV,
        HOME,
        PATH: `${this.#dir}/bin:${PATH}`,
        ...certificates !== undefined && {
          DENO_CERT: certificates,
          NODE_EXTRA_CA_CERTS: certificates,
        },
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run(["chmod", "-R", "u+w", this.#dir]);
    await Deno.remove(this.#dir, { recursive: true });
  }
}

/** What Git knows or would add: the command line uploads no ignored files. */
async function copySource(source: string, root: string): Promise<void> {
  const listed = await run(["git", "ls-files", "-co", "--exclude-standard"], { cwd: source });
  for (const path of listed.trim().split("\n")) {
    await Deno.mkdir(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.copyFile(`${source}/${path}`, `${root}/${path}`).catch((error) => {
      // Deleted, and not yet committed.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

async function run(
  [command, ...args]: readonly string[],
  options: Deno.CommandOptions = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command!, { args, ...options })
    .output();
  if (!success) throw new Error(`${args.at(-1)} failed: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}
