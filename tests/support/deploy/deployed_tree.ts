import { walkFiles } from "@/tools/walk_files.ts";
import { BUILD_ENV, BUILD_STEPS } from "./platform.ts";

/** Id of the unprivileged user on Debian and most other systems; it owns no files. */
const NOBODY = 65_534;

/** The service, built in its own folder like on the platform, and read-only afterwards. */
export class DeployedTree implements AsyncDisposable {
  readonly #dir: string;
  /** Path of Deno that an unprivileged user can run. */
  readonly deno: string;
  readonly root: string;
  /** User to run as; undefined if this process is unprivileged itself. */
  readonly uid: number | undefined;

  private constructor(dir: string) {
    this.#dir = dir;
    this.deno = `${dir}/bin/deno`;
    this.root = `${dir}/src`;
    this.uid = Deno.uid() === 0 ? NOBODY : undefined;
  }

  /** Copies the files of an upload of `source` and runs the build steps with `deno`. */
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

  /** Bytes of the source, of the build's additions, and of the largest packages. */
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

  /** Every file with its modification time, to detect writes. */
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
    // How this machine reaches the registry is not part of the rehearsal.
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

/** Files that Git tracks or would add: ignored files are not uploaded. */
async function copySource(source: string, root: string): Promise<void> {
  const listed = await run(["git", "ls-files", "-co", "--exclude-standard"], { cwd: source });
  for (const path of listed.trim().split("\n")) {
    await Deno.mkdir(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.copyFile(`${source}/${path}`, `${root}/${path}`).catch((error) => {
      // Deleted but not committed.
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
