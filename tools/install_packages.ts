/** Installs the npm packages of the service, without those that only tests need. */

interface Manifest {
  imports: Record<string, string>;
  /** Import maps of folders; the one of `./tests/` names the packages that only tests import. */
  scopes?: Record<string, Record<string, string>>;
  lock?: unknown;
}

interface Lock {
  npm?: Record<string, { integrity: string }>;
}

const MARK = "node_modules/.cache/installed_for.txt";
/** Says that packages that only builds need were removed, and what the others are for. */
const PRUNED_MARK = "node_modules/.cache/pruned_for.txt";
/** The entry points of the service; their other imports are fetched as well. */
const ENTRIES = [
  "main.ts",
  "dev.ts",
  "cli/compact.ts",
  "cli/keys.ts",
  "cli/secrets.ts",
  "cli/users.ts",
  "lib/knowledge/ingest/worker/main.ts",
];
/** Packages that contain only types. */
const TYPES = /^(@types\/|undici-types@)/;
/** Next to `deno.json` because its paths are relative; only during the installation. */
const CONFIG = "service.deno.json";
const LOCK = "service.deno.lock";

/** Whether `node_modules` has the packages of the service, checked without running Deno. */
export async function arePackagesCurrent(root: string): Promise<boolean> {
  if (await readText(`${root}/${PRUNED_MARK}`) === await fingerprint(root)) return true;
  const mark = await readText(`${root}/${MARK}`);
  // Without a mark, another tool has installed and checked the lock.
  if (mark !== undefined && mark !== await fingerprint(root)) return false;
  return await isInstalled(root, (await readManifest(root)).imports);
}

/**
 * Installs the packages of `deno.lock` into `node_modules` under `root`, and keeps packages of tests.
 * Throws if the lock would have to change.
 */
export async function installPackages(root: string): Promise<void> {
  const manifest = await readManifest(root);
  const mark = await fingerprint(root);
  if (await readText(`${root}/${MARK}`) === mark && await isInstalled(root, manifest.imports)) {
    return;
  }
  const forTests = Object.assign({}, ...Object.values(manifest.scopes ?? {}));
  if (await isInstalled(root, forTests)) await cache(root, ["--frozen"]);
  else await installForService(root, manifest);
  await Deno.mkdir(`${root}/node_modules/.cache`, { recursive: true });
  await Deno.writeTextFile(`${root}/${MARK}`, await fingerprint(root));
}

async function readManifest(root: string): Promise<Manifest> {
  return JSON.parse(await Deno.readTextFile(`${root}/deno.json`));
}

/** Records that `node_modules` has what a start needs, although it was pruned. */
export async function markPruned(root: string): Promise<void> {
  await Deno.mkdir(`${root}/node_modules/.cache`, { recursive: true });
  await Deno.writeTextFile(`${root}/${PRUNED_MARK}`, await fingerprint(root));
}

/** Deno installs everything in its configuration and lock, so it gets copies without the tests' packages. */
async function installForService(
  root: string,
  { scopes: _, ...manifest }: Manifest,
): Promise<void> {
  const config = { ...manifest, lock: { path: `./${LOCK}` } };
  try {
    await Deno.writeTextFile(`${root}/${CONFIG}`, JSON.stringify(config));
    await Deno.copyFile(`${root}/deno.lock`, `${root}/${LOCK}`);
    await cache(root, ["--config", CONFIG]);
    await requireSameLock(root);
  } finally {
    for (const file of [CONFIG, LOCK]) await Deno.remove(`${root}/${file}`).catch(() => {});
  }
}

/**
 * Deno may remove packages from the copied lock but not add any. Packages are compared by name, version
 * and integrity, because versions of Deno name peers differently. Types do not matter: Deno 2.5 adds its
 * own version of Node's.
 */
async function requireSameLock(root: string): Promise<void> {
  const [used, locked] = await Promise.all(
    [LOCK, "deno.lock"].map(async (file) =>
      lockedPackages(await Deno.readTextFile(`${root}/${file}`))
    ),
  );
  for (const [name, integrity] of used!) {
    if (TYPES.test(name) || locked!.get(name) === integrity) continue;
    throw new Error(`${name} is not in deno.lock: run "deno install" and commit the lock`);
  }
}

/** The integrity of each npm package that a lock names, by `name@version` without its peers. */
export function lockedPackages(lock: string): Map<string, string> {
  const { npm = {} }: Lock = JSON.parse(lock);
  return new Map(
    Object.entries(npm).map((
      [id, { integrity }],
    ) => [id.replace(/(?<=.@[^_]+)_.*$/, ""), integrity]),
  );
}

async function cache(root: string, flags: string[]): Promise<void> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["cache", "--node-modules-dir=auto", ...flags, ...ENTRIES],
    cwd: root,
    // Standard output may belong to the command that runs next.
    stdout: "null",
    stderr: "inherit",
  });
  const { success } = await command.output();
  if (!success) throw new Error("the packages could not be installed; see above");
}

/** Whether each package is there in the version that the import map names. */
export async function isInstalled(root: string, imports: Record<string, string>): Promise<boolean> {
  for (const target of Object.values(imports)) {
    const [, name, version] = /^npm:(@?[^@]+)@(.+)$/.exec(target) ?? [];
    if (name === undefined) continue;
    const text = await readText(`${root}/node_modules/${name}/package.json`);
    if (text === undefined || JSON.parse(text).version !== version) return false;
  }
  return true;
}

async function fingerprint(root: string): Promise<string> {
  const files = await Promise.all(
    ["deno.json", "deno.lock"].map((file) => Deno.readFile(`${root}/${file}`)),
  );
  const digests = files.map((bytes) => crypto.subtle.digest("SHA-256", bytes));
  const hex = (await Promise.all(digests)).map((digest) => new Uint8Array(digest).toHex());
  return [Deno.version.deno, ...hex].join(" ");
}

function readText(path: string): Promise<string | undefined> {
  return Deno.readTextFile(path).catch(() => undefined);
}
