import { createHash } from "node:crypto";
import { shellQuote } from "../../platform/shell_quote.ts";
import { WORKER_SCRIPT } from "./worker_command.ts";

/** The variables that decide whether there is a script, and what its processes may read and write. */
export type ServerScriptVariables = Partial<
  Record<"WORKERS" | "DATA_DIR" | "KV_PATH" | "CATALOGUE", string>
>;

export interface ServerProgram {
  deno: string;
  /** Folder of the service's `deno.json`. */
  root: string;
  /** Values of `--allow-read` and `--allow-write`. */
  read: string;
  write: string;
  /** Scripts that it may run beside the one of document processes. */
  run?: string | undefined;
}

/** Variables of Deno that cannot loosen its sandbox; others do not reach a server process. */
const PASSED_DENO_VARIABLES =
  "DENO_DIR|DENO_KV_ACCESS_TOKEN|DENO_CERT|DENO_TLS_CA_STORE|DENO_LOG|DENO_NO_UPDATE_CHECK";

/** V8's flags of every process that serves requests. */
export const SERVER_V8_FLAGS = "--min-semi-space-size=32,--max-semi-space-size=32";

/**
 * The script that starts server processes, relative to the service's folder; `undefined` if one process
 * is enough. Services with different folders of data have different scripts.
 */
export function serverScriptPath(env: ServerScriptVariables): string | undefined {
  const workers = env.WORKERS?.trim() || "1";
  if (workers === "1") return undefined;
  const paths = JSON.stringify([env.DATA_DIR || "", env.KV_PATH || "", env.CATALOGUE || ""]);
  const id = createHash("sha256").update(paths).digest("hex").slice(0, 12);
  return `_fresh/server_${id}.sh`;
}

/**
 * A shell script that becomes a server process with the permissions of the service, except that it
 * cannot start more of them. The service may run it with any arguments, folder and environment, so it
 * ignores the first two, and drops the variables with which Deno would grant more permissions.
 */
export function serverScript({ deno, root, read, write, run }: ServerProgram): string {
  const command = [
    ...[shellQuote(deno), "run", "--cached-only", "--frozen", "--no-prompt"],
    ...["--allow-net", "--allow-env", "--allow-sys"],
    ...[`--allow-read=${shellQuote(read)}`, `--allow-write=${shellQuote(write)}`],
    ...[`--allow-run=./${WORKER_SCRIPT}${run === undefined ? "" : `,./${run}`}`],
    ...[`--v8-flags=${SERVER_V8_FLAGS}`, "main.ts"],
  ];
  return [
    ...dropDenoVariables(),
    `cd ${shellQuote(root)} || exit 1`,
    `exec ${command.join(" ")}`,
    "",
  ].join("\n");
}

/** The lines of a script that drop the variables with which Deno would grant more permissions. */
function dropDenoVariables(): string[] {
  return [
    "set -f",
    "unset NODE_OPTIONS NODE_CHANNEL_FD",
    "names=$(export -p | while IFS= read -r line; do",
    '  case $line in *" DENO_"*) line=${line#*" DENO_"}; echo "DENO_${line%%=*}" ;; esac',
    "done)",
    "for name in $names; do",
    "  case $name in *[!A-Z0-9_]*) ;; " + `${PASSED_DENO_VARIABLES}) ;; *) unset "$name" ;; esac`,
    "done",
  ];
}
