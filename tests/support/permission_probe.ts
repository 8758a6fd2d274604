/**
 * Runs with the service's permissions instead of the service, tries what a compromised service would,
 * and prints the names of the attempts that succeeded. The argument is a folder outside.
 */
import { serverScriptPath } from "@/lib/server/process/server_script.ts";
import { WORKER_SCRIPT } from "@/lib/server/process/worker_command.ts";

const [outside] = Deno.args;
const root = new URL("../../", import.meta.url).pathname;
const data = Deno.env.get("DATA_DIR");
/** Exists for every number of workers above 1. */
const SERVER_SCRIPT = serverScriptPath({ ...Deno.env.toObject(), WORKERS: "2" })!;

/** Variables that the shell which starts a worker must not read. */
const HOSTILE_ENV = {
  ENV: `${data}/evil.sh`,
  BASH_ENV: `${data}/evil.sh`,
  SHELLOPTS: "xtrace",
  PS4: `$(/bin/touch ${data}/ran_by_ps4)`,
  "BASH_FUNC_ulimit%%": `() { /bin/touch ${data}/ran_by_function; }`,
  PATH: `${data}:/usr/bin:/bin`,
  DENO_V8_FLAGS: "--help",
  DENO_PERMISSION_BROKER_PATH: `${data}/broker.sock`,
  NODE_OPTIONS: "--help",
};

const run = (path: string, options: Deno.CommandOptions = {}) =>
  new Deno.Command(path, { stdin: "null", stdout: "null", stderr: "null", ...options }).output();

const ATTEMPTS: Record<string, () => unknown> = {
  "read the service's folder": () => Deno.readTextFile(`${root}deno.json`),
  "write the data folder": () => Deno.writeTextFile(`${data}/evil.sh`, `touch ${data}/ran_by_env`),
  "read the data folder": () => Deno.readTextFile(`${data}/evil.sh`),
  "listen": () => Deno.listen({ port: 0, hostname: "127.0.0.1" }).close(),
  "start a worker": async () => {
    if (
      !(await run(`${root}${WORKER_SCRIPT}`, { args: ["run", "-A"], env: HOSTILE_ENV })).success
    ) {
      throw new Error("failed");
    }
  },
  "start a server process": async () => {
    // It reports the port, so it is the service with its own command and without Deno's variables.
    const env = { ...HOSTILE_ENV, PORT: "many" };
    const options = { args: ["run", "-A"], env, cwd: data!, stderr: "piped" as const };
    const { code, stderr } = await run(`${root}${SERVER_SCRIPT}`, options);
    const text = new TextDecoder().decode(stderr);
    if (code !== 1 || !text.includes("PORT must be")) throw new Error(`failed: ${text}`);
  },

  "read outside": () => Deno.readTextFile(`${outside}/secret.txt`),
  "list outside": () => Array.fromAsync(Deno.readDir(outside!)),
  "read users": () => Deno.readTextFile("/etc/passwd"),
  "read the process": () => Deno.readTextFile("/proc/self/environ"),
  "write outside": () => Deno.writeTextFile(`${outside}/new.txt`, "x"),
  "write the program": () => Deno.writeTextFile(`${root}tests/new.ts`, "x"),
  "change the worker script": () => Deno.writeTextFile(`${root}${WORKER_SCRIPT}`, "x"),
  "change the server script": () => Deno.writeTextFile(`${root}${SERVER_SCRIPT}`, "x"),
  "link to outside": () => Deno.symlink(outside!, `${data}/link`),
  "import outside": () => import(`file://${outside}/module.ts`),
  "import from the network": () => import(["https:", "//deno.land/std/version.ts"].join("")),
  "run deno": () => run(Deno.execPath(), { args: ["eval", "1"] }),
  "run a shell": () => run("/bin/sh", { args: ["-c", ":"] }),
  "run by name": () => run("true"),
  "run what it wrote": () => run(`${data}/evil.sh`),
  "preload a library": () => run(`${root}${WORKER_SCRIPT}`, { env: { LD_PRELOAD: "/x.so" } }),
  "signal a process": () => Deno.kill(Deno.ppid, "SIGCONT"),
  "open a library": () => Deno.dlopen("libc.so.6", {}),
};

if (import.meta.main) {
  const done: string[] = [];
  for (const [name, attempt] of Object.entries(ATTEMPTS)) {
    try {
      await attempt();
      done.push(name);
    } catch {
      // Denied.
    }
  }
  console.log(JSON.stringify(done));
}
