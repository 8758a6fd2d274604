import { transform } from "esbuild";

/** A source as the rules below see it: its text, and its code without comments and types. */
export interface Source {
  path: string;
  text: string;
  code: string;
}

/** Free names that only some files may use; esbuild finds them, so strings and locals do not count. */
const MARKS: Record<string, string> = {
  "Deno.env": "$env",
  "Deno.openKv": "$openKv",
  "Deno.serve": "$listen",
  "Deno.listen": "$listen",
  "Deno.listenTls": "$listen",
  setTimeout: "$sleep",
  "Deno.env.set": "$envOfAll",
  "Deno.env.delete": "$envOfAll",
  "Deno.chdir": "$folderOfAll",
  "Deno.umask": "$maskOfAll",
  "Deno.memoryUsage": "$memoryOfAll",
};

const MAX_LINES = 300;

/** Tests that set a real or faked timer on purpose. Sleeping for a fixed time is never one. */
const TIMER_TESTS: Record<string, string> = {
  "jsr/std_testing/time_test.ts": "the timers are FakeTime's, which is what it tests",
};

/** Their strings are code that breaks the rules. */
const SAMPLES: Record<string, string> = {
  "tests/architecture_test.ts": "holds samples of what a test must not do",
};

/** What all threads of a process have in common; a socket for commands is bound under a mask. */
const OF_ALL_THREADS = /\$(env|folder|mask|memory)OfAll|(?<![.\w$])(serveControlSocket|serveIn)\(/;

/** Places besides main.ts that touch the process or the machine. */
const AMBIENT = /^main\.ts$|^dev\.ts$|^cli\/|^tools\/|^tests\/|^bench\/|^jsr\/|_test\.tsx?$/;

/** Further files that listen or open the store, each for a reason. */
const AMBIENT_BY_REASON: Record<string, string> = {
  "lib/providers/transport/verifies_certificates.ts":
    "listens on loopback for its own probe, for one handshake",
  "lib/server/commands/control_socket.ts": "listens on a socket file in DATA_DIR, never on a port",
  "lib/server/process/supervisor_sockets.ts":
    "listens on socket files in DATA_DIR, never on a port",
  "lib/server/telemetry/metrics_peers.ts": "listens on a socket file in DATA_DIR, never on a port",
};

/** Reads one file; `Source.code` has the marks in the place of the names looked for. */
export async function readSource(root: string, path: string): Promise<Source> {
  const text = await Deno.readTextFile(`${root}/${path}`);
  return await toSource(path, text);
}

export async function toSource(path: string, text: string): Promise<Source> {
  const loader = path.endsWith(".tsx") ? "tsx" : "ts";
  const { code } = await transform(text, {
    loader,
    define: MARKS,
    format: "esm",
    jsx: "automatic",
    legalComments: "none",
    logLevel: "silent",
  });
  return { path, text, code };
}

/** What is wrong with one file, as sentences. */
export function wrongSource(source: Source): string[] {
  return [
    ...ambient(source),
    ...tooLong(source),
    ...strayHelper(source),
    ...sleeping(source),
    ...besideOthers(source),
  ].map((why) => `${source.path}: ${why}`);
}

function ambient({ path, code }: Source): string[] {
  if (AMBIENT.test(path) || path in AMBIENT_BY_REASON) return [];
  const words: [string, string][] = [
    ["$env", "reads the environment"],
    ["$openKv", "opens KV"],
    ["$listen", "listens"],
  ];
  return words
    .filter(([mark]) => code.includes(mark))
    .map(([, does]) => `${does}, which is for main.ts; take it as a parameter`);
}

function tooLong({ path, text }: Source): string[] {
  if (!/^(lib|routes)\//.test(path) || /_test\.tsx?$/.test(path)) return [];
  const lines = text.split("\n");
  if (lines.length - 1 <= MAX_LINES) return [];
  if (lines.slice(0, 10).some((line) => line.includes("Long because"))) return [];
  return [`${lines.length - 1} lines; split it, or say "Long because …" in its first lines`];
}

/** Fresh serves every file under routes/, so a helper there would be a live route. */
function strayHelper({ path, code }: Source): string[] {
  if (!path.startsWith("routes/") || /[._]test\.tsx?$/.test(path)) return [];
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.tsx?$/, "");
  const isSpecial = ["_app", "_layout", "_middleware", "_error", "_404", "_500"].includes(name);
  if (name.startsWith("_") && !isSpecial) return ["a helper under routes/; move it to lib/http"];
  const exported = /export\s*\{([^}]*)\}/.exec(code)?.[1] ?? "";
  const names = exported.split(",").map((item) => item.trim().split(" as ").at(-1));
  const isRoute = names.some((item) => ["handler", "handlers", "default"].includes(item ?? "")) ||
    /^export default /m.test(code);
  return isRoute ? [] : ["exports neither a handler nor a page; move it out of routes/"];
}

function sleeping({ path, code }: Source): string[] {
  if (!/_test\.tsx?$/.test(path) || path in TIMER_TESTS || path in SAMPLES) return [];
  if (!code.includes("$sleep") && !/(?<![.\w$])(delay|sleep)\(/.test(code)) return [];
  return ["a test sets a timer; inject the clock, or wait for the event itself"];
}

/** `deno test --parallel` runs the files of a run in threads of one process. */
function besideOthers({ path, code }: Source): string[] {
  if (!/(?<!_alone)_test\.tsx?$/.test(path) || path in SAMPLES) return [];
  if (!OF_ALL_THREADS.test(code)) return [];
  return ["changes or measures the whole process; name it _alone_test, which runs beside no other"];
}
