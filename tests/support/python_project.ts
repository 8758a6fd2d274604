import { mustRun } from "./npm_project.ts";

const INSTALL_TIMEOUT_MS = 120_000;

/** A virtual environment of Python in a temporary folder, removed at the end. */
export class PythonProject implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(...packages: string[]): Promise<PythonProject> {
    const project = new PythonProject(await Deno.makeTempDir());
    await createVenv(project.folder);
    await project.install(...packages);
    return project;
  }

  async install(...packages: string[]): Promise<void> {
    await installPython(this.folder, packages);
  }

  /** Runs a module such as `pytest` and returns what it printed. */
  async module(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const command = { program: this.#python, args: ["-m", ...args], env: { ...HOME, ...env } };
    return await mustRun(this.folder, command);
  }

  /** Runs a program of an installed package and returns what it printed. */
  async program(name: string, args: readonly string[]): Promise<string> {
    const program = `${this.folder}/venv/bin/${name}`;
    return await mustRun(this.folder, { program, args, env: HOME });
  }

  /** Runs a script and returns what it printed. */
  async run(script: string, env: Record<string, string> = {}): Promise<string> {
    await Deno.writeTextFile(`${this.folder}/main.py`, script);
    return await mustRun(this.folder, { program: this.#python, args: ["main.py"], env });
  }

  get #python(): string {
    return `${this.folder}/venv/bin/python`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

const PIP = [
  ...["-m", "pip", "--python", "venv/bin/python"],
  ...["--quiet", "--disable-pip-version-check"],
];

/** Pip's cache and settings, such as the address of its index, are the user's. */
const HOME = { HOME: Deno.env.get("HOME") ?? "", PYTHONDONTWRITEBYTECODE: "1" };

/** Makes `venv` in a folder. Its packages are installed by the machine's pip: a copy takes seconds. */
export async function createVenv(folder: string): Promise<void> {
  const args = ["-m", "venv", "--without-pip", "venv"];
  await mustRun(folder, { program: "python3", args, env: HOME });
}

/** Installs into the `venv` of a folder what pip understands: names, files, `-r` and a list. */
export async function installPython(folder: string, packages: readonly string[]): Promise<void> {
  const args = [...PIP, "install", ...packages];
  await mustRun(folder, { program: "python3", args, env: HOME });
}

/** Whether packages can be installed; says so in one line if they cannot. */
export async function canInstallPython(name: string): Promise<boolean> {
  const folder = await Deno.makeTempDir();
  try {
    await createVenv(folder);
    const signal = AbortSignal.timeout(INSTALL_TIMEOUT_MS);
    const { success } = await new Deno.Command("python3", {
      args: [...PIP, "download", "--no-deps", "--dest", "downloads", name],
      ...{ cwd: folder, stdout: "null", stderr: "null", signal },
    }).output();
    if (success) return true;
  } catch {
    /* there is no Python, or none with venv */
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  console.error(`SKIPPED: tests that install ${name}, because Python or pip cannot get it`);
  return false;
}
