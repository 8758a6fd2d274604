/** The permissions of the process that `deno task start` runs, and the modules it imports. */
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import manifest from "@/deno.json" with { type: "json" };
import {
  SERVER_V8_FLAGS,
  serverScript,
  serverScriptPath,
} from "@/lib/server/process/server_script.ts";
import { startPaths, startScripts, toFlagValue } from "@/tools/start_paths.ts";
import { expectJson } from "./support/expect_response.ts";
import { type Import, listSources, readImports } from "./support/architecture/imports.ts";
import { startService, untilProcessed } from "./support/started_service.ts";
import { taskCommand } from "./support/task_command.ts";

const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

async function inTempDir(work: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "it's $(a) b " });
  await work(dir).finally(() => Deno.remove(dir, { recursive: true }));
}

/** The attempts of `permission_probe.ts` that succeed with the permissions of the service. */
async function permitted(workers: string): Promise<string[]> {
  const outside = await Deno.makeTempDir();
  const data = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${outside}/secret.txt`, "secret");
    await Deno.writeTextFile(`${outside}/module.ts`, "export {};");
    const { command, args } = taskCommand("start", { words: [outside] });
    const probe = args.map((arg) => arg.replace(" main.ts", " tests/support/permission_probe.ts"));
    assert(probe.join() !== args.join());
    const env = { DATA_DIR: data, WORKERS: workers };
    const { stdout } = await new Deno.Command(command, { args: probe, cwd: root, env }).output();
    const written = await Array.fromAsync(Deno.readDir(data), ({ name }) => name);
    assertEquals(written, ["evil.sh"]);
    return JSON.parse(new TextDecoder().decode(stdout));
  } finally {
    for (const dir of [outside, data]) await Deno.remove(dir, { recursive: true });
    const script = serverScriptPath({ DATA_DIR: data, WORKERS: "2" });
    await Deno.remove(`${root}/${script}`).catch(() => {});
  }
}

const PERMITTED = [
  "read the service's folder",
  "write the data folder",
  "read the data folder",
  "listen",
  "start a worker",
];

Deno.test("start: the service can read, write and run only its own files", async () => {
  assertEquals(await permitted(""), PERMITTED);
});

Deno.test("start: with several workers the service can also start server processes, which can do no more", async () => {
  assertEquals(await permitted("2"), [...PERMITTED, "start a server process"]);
  const program = { deno: "deno", root: "/srv", read: "it's", write: "w" };
  const flags = (command: string) =>
    command.replace(/^.*? run /s, "").replace(/ --allow-run.*/s, "");
  const task = manifest.tasks.start.split(" && ").at(-1)!;
  assertEquals(
    flags(serverScript(program).split("\nexec ").at(-1)!),
    flags(task).replace(/"\$\([^"]* read\)"/, "'it'\\''s'").replace(/"\$\([^"]* write\)"/, "'w'"),
  );
  assert(task.endsWith(` --v8-flags=${SERVER_V8_FLAGS} main.ts`));
  assertMatch(
    serverScript(program),
    / --allow-run=\.\/_fresh\/worker\.sh --v8-flags=[^ ]* main\.ts\n$/,
  );
});

Deno.test("start: a data folder with special characters, a store and a catalogue elsewhere, and symbolic links to them work", () =>
  inTempDir(async (dir) => {
    for (const name of ["data", "stores"]) await Deno.mkdir(`${dir}/real ${name}`);
    await Deno.symlink(`${dir}/real data`, `${dir}/data`);
    await Deno.symlink(`${dir}/real stores`, `${dir}/stores`);
    await Deno.writeTextFile(`${dir}/models.json`, "[]");
    const env = { KV_PATH: `${dir}/stores/kv`, CATALOGUE: `${dir}/models.json` };
    for (const workers of Deno.build.os === "linux" ? ["1", "2"] : ["1"]) {
      for (const start of ["first", "second"]) {
        await using service = await startService(dir, { ...env, WORKERS: workers });
        const health = await fetch(`${service.base}/readyz`);
        assertEquals((await expectJson(health, 200)).status, "ok", `${start}, ${workers} workers`);
        assertEquals((await service.stop()).code, 0);
      }
      for (const name of await Array.fromAsync(Deno.readDir(`${dir}/real stores`))) {
        if (workers === "1") await Deno.remove(`${dir}/real stores/${name.name}`);
      }
      await Deno.remove(`${dir}/real data`, { recursive: true });
      await Deno.mkdir(`${dir}/real data`);
    }
    const script = serverScriptPath({ ...env, WORKERS: "2", DATA_DIR: `${dir}/data` });
    await Deno.remove(`${root}/${script}`);
    const stores = await Array.fromAsync(Deno.readDir(`${dir}/real stores`), ({ name }) => name);
    assert(stores.includes("kv") && stores.includes("kv.lock"));
  }));

Deno.test("start: the running service processes an uploaded document", () =>
  inTempDir(async (dir) => {
    await using service = await startService(dir);
    const { command, args } = taskCommand("keys", {
      words: ["create", "--name", "k", "--scopes", "knowledge:write"],
    });
    const env = { DATA_DIR: `${dir}/data` };
    const { stdout } = await new Deno.Command(command, { args, cwd: root, env }).output();
    const headers = { authorization: `Bearer ${new TextDecoder().decode(stdout).trim()}` };
    const at = `${service.base}/v1/knowledge-bases`;
    const call = async (path: string, body?: BodyInit, type?: string) => {
      const method = body === undefined ? "GET" : "POST";
      const more: HeadersInit = type === undefined ? {} : { "content-type": type };
      const init = { method, headers: { ...headers, ...more }, ...body !== undefined && { body } };
      return await expectJson(await fetch(at + path, init), body === undefined ? 200 : 201);
    };
    const { id } = await call("", '{"name":"b"}', "application/json");
    const form = new FormData();
    // Large enough to be parsed in a separate process.
    form.set("file", new File(["# Refunds\n\n", "They take 14 days.\n\n".repeat(20_000)], "a.md"));
    const document = await call(`/${id}/documents`, form);
    const read = () => call(`/${id}/documents/${document.id}`);
    assertEquals((await untilProcessed(read)).state, "ready");
  }));

Deno.test("start: no shipped module imports a test, an example, or a package of the tests", async () => {
  const packages = Object.keys(manifest.scopes["./tests/"]);
  assert(packages.includes("playwright-core"));
  for (const name of packages) assert(!(name in manifest.imports), name);
  const files = await listSources(root);
  const shipped = files.filter((file) =>
    !/^(tests|bench|packages|examples)\/|_test\.tsx?$/.test(file)
  );
  const imports = await readImports(root, shipped);
  assert(imports.length > 500);
  const isTests = ({ to }: Import) =>
    /^(tests|packages|examples)\//.test(to) ||
    packages.some((name) => to.replace(/^npm:\/?/, "").startsWith(`${name}@`));
  assertEquals(imports.filter(isTests), []);
  const own = await readImports(root, ["tests/support/browser.ts"]);
  assert(own.some(isTests));
});

Deno.test("start: tasks use the lockfile and the cache, and never prompt", () => {
  for (const name of ["start", "keys", "secrets", "users"] as const) {
    const last = manifest.tasks[name].split(" && ").at(-1)!;
    for (const flag of ["--frozen", "--cached-only", "--no-prompt"]) assert(last.includes(flag));
    assertMatch(last, /^deno run /);
    assertEquals(
      /-A|--allow-all|--allow-ffi|--allow-import/.test(last.replace(/\$\([^)]*\)/g, "")),
      false,
    );
  }
  assertMatch(manifest.tasks.start, / --allow-run="\$\([^"]*start_paths\.ts run\)" /);
  assert(!manifest.tasks.keys.includes("--allow-run"));
});

Deno.test("startPaths: returns the folders, and only file and lock of a store elsewhere", () =>
  inTempDir(async (dir) => {
    const real = await Deno.realPath(dir);
    await Deno.writeTextFile(`${dir}/kv`, "");
    const env = { DATA_DIR: `${dir}/data`, KV_PATH: `${dir}/kv`, CATALOGUE: `${dir}/c.json` };
    const write = [`${real}/data`, `${real}/kv`, `${real}/kv.lock`];
    assertEquals(await startPaths("write", { root: "/", env }), write);
    assertEquals(await startPaths("read", { root: "/", env }), [...write, "/", `${real}/c.json`]);
    assertEquals(await startPaths("write", { root: real, env: { KV_PATH: ":memory:" } }), [
      `${real}/.data`,
    ]);
    assertEquals(toFlagValue(["/a,b/data", "/a,b", "/c"], "/a,b"), "./data,.,/c");
    assertThrows(() => toFlagValue(["/a,b"], "/c"), Error, "comma");
  }));

Deno.test("startScripts: server processes have a script of their own for each set of paths", () => {
  assertEquals(startScripts({}), "./_fresh/worker.sh");
  assertEquals(startScripts({ WORKERS: " 1 ", DATA_DIR: "/a" }), "./_fresh/worker.sh");
  const several = ["/a", "/b"].map((dir) => startScripts({ WORKERS: "auto", DATA_DIR: dir }));
  for (const scripts of several) {
    assertMatch(scripts, /^\.\/_fresh\/worker\.sh,\.\/_fresh\/server_[0-9a-f]{12}\.sh$/);
  }
  assertEquals(new Set(several).size, 2);
});
