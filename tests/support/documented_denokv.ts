import { freePort } from "./free_port.ts";
import { openTestKv } from "./open_kv.ts";
import { configNamed, runBlock } from "./operations_doc.ts";

/** Environment variables of the commands in `docs/operations.md`. */
export type DocumentedEnv = Record<
  "ETC" | "STATE" | "DATA_DIR" | "BACKUPS" | "ADDR" | "OWNER",
  string
>;

/** Values for them: folders below `dir`, this user, and a free port. */
export async function documentedEnv(dir: string): Promise<DocumentedEnv> {
  const { ETC, DATA_DIR, BACKUPS } = {
    ETC: `${dir}/etc`,
    DATA_DIR: `${dir}/data`,
    BACKUPS: `${dir}/backups`,
  };
  for (const folder of [ETC, DATA_DIR, BACKUPS]) await Deno.mkdir(folder, { mode: 0o700 });
  const ADDR = `127.0.0.1:${freePort()}`;
  return { ETC, DATA_DIR, BACKUPS, STATE: `${dir}/state`, ADDR, OWNER: String(Deno.uid()) };
}

/** Reads an environment file written by the documented commands. */
export async function readEnvFile(path: string): Promise<Record<string, string>> {
  const lines = (await Deno.readTextFile(path)).trimEnd().split("\n");
  return Object.fromEntries(lines.map((line) => {
    const end = line.indexOf("=");
    return [line.slice(0, end), line.slice(end + 1).replace(/^'(.*)'$/, "$1")];
  }));
}

/** Starts the server like the documented unit, and waits for the documented health check. */
export async function startDocumentedDenokv(
  env: DocumentedEnv,
  bin: string,
): Promise<AsyncDisposable> {
  const paths = { "/usr/local/bin/denokv": bin, "/etc": env.ETC };
  const unit = await configNamed("denokv.service", paths);
  const [file, command] = ["EnvironmentFile", "ExecStart"]
    .map((name) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)![1]);
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", `set -a; . "${file}"; exec ${command}`],
    env,
    stdout: "null",
    stderr: "null",
  }).spawn();
  let ended = false;
  const status = child.status.then(() => ended = true);
  const dispose = async () => {
    if (!ended) child.kill("SIGTERM");
    await status;
  };
  while (true) {
    const healthy = await runBlock("denokv-health", { env }).then(() => true, () => false);
    if (healthy) return { [Symbol.asyncDispose]: dispose };
    if (ended) throw new Error("the denokv server has ended");
  }
}

/** The store of that server, with its token. */
export async function openDocumentedKv(env: DocumentedEnv): Promise<Deno.Kv> {
  const { KV_URL, DENO_KV_ACCESS_TOKEN } = await readEnvFile(`${env.ETC}/agent-chat.env`);
  Deno.env.set("DENO_KV_ACCESS_TOKEN", DENO_KV_ACCESS_TOKEN!);
  return await openTestKv(KV_URL!);
}
