/** `deno task copy-store` and the commands of docs/backups.md. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readConfig } from "@/lib/server/config/config.ts";
import { openStore } from "@/lib/server/process/open_store.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { runCli } from "./support/command_line.ts";
import { DENOKV_TOKEN, DenokvServer } from "./support/denokv_server.ts";
import { withDenoInPath } from "./support/deno_in_path.ts";
import { openTestKv } from "./support/open_kv.ts";
import { runBlock } from "./support/operations_doc.ts";
import { DENOKV_BIN } from "./support/shared_store.ts";

const DOC = "backups";

async function withFolder(run: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  try {
    await run(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function makeStore(dataDir: string): Promise<void> {
  const store = await openStore(readConfig({ DATA_DIR: dataDir }), {
    openKv: Deno.openKv,
    runtime: systemRuntime,
  });
  for (let n = 0; n < 300; n++) await store.kv.set(["store_probes", n], { v: 1, n });
  await store.close();
}

Deno.test("copy-store: a service starts on the copy of its store, and a second copy is rejected", async () => {
  await withFolder(async (dir) => {
    await makeStore(`${dir}/data`);
    const words = ["--from", `${dir}/data/kv.sqlite3`, "--to", `${dir}/copy.sqlite3`];
    const { code, out, err } = await runCli("copy-store", words, { dir: `${dir}/data` });
    assertEquals([code, err], [0, ""]);
    const [, copied] = /^Copied +(\d+) entries$/m.exec(out)!;
    assert(Number(copied) > 300);
    assertStringIncludes(out, `Equal    ${copied} entries, SHA-256 `);
    const config = readConfig({ DATA_DIR: `${dir}/data`, KV_PATH: `${dir}/copy.sqlite3` });
    const store = await openStore(config, { openKv: Deno.openKv, runtime: systemRuntime });
    assertEquals((await store.kv.get(["store_probes", 299])).value, { v: 1, n: 299 });
    const busy = await runCli("copy-store", words, { dir: `${dir}/data` });
    assertEquals(busy.code, 1);
    assertStringIncludes(busy.err, "Stop the service first");
    await store.close();
    const again = await runCli("copy-store", words, { dir: `${dir}/data` });
    assertEquals([again.code, again.err], [
      1,
      "copy-store: the target has entries already: copy into an empty store\n",
    ]);
  });
});

Deno.test({
  name: "DENOKV_BIN: copy-store: a store moves to a denokv server and back, unchanged",
  ignore: DENOKV_BIN === undefined,
  fn: async () => {
    await withFolder(async (dir) => {
      await makeStore(`${dir}/data`);
      await using server = await DenokvServer.start(DENOKV_BIN!);
      const env = { FROM_ACCESS_TOKEN: DENOKV_TOKEN, TO_ACCESS_TOKEN: DENOKV_TOKEN };
      const copy = async (from: string, to: string) => {
        const words = ["--from", from, "--to", to];
        const { code, out, err } = await runCli("copy-store", words, { dir: `${dir}/data`, env });
        assertEquals([code, err], [0, ""]);
        return /^Equal.*$/m.exec(out)![0];
      };
      const there = await copy(`${dir}/data/kv.sqlite3`, server.url);
      assertEquals(await copy(server.url, `${dir}/back.sqlite3`), there);
      using back = await openTestKv(`${dir}/back.sqlite3`);
      assertEquals((await back.get(["store_probes", 299])).value, { v: 1, n: 299 });
    });
  },
});

Deno.test("copy-store: names what is wrong with its arguments", async () => {
  const cases: [string[], number, string][] = [
    [[], 2, "name both stores"],
    [["--from", "a", "--to", "a"], 2, "the same store"],
    [["--from", "/nonexistent/kv", "--to", "b"], 1, "kv"],
    [["--from", "http://127.0.0.1:1", "--to", "b"], 1, "set FROM_ACCESS_TOKEN"],
  ];
  for (const [words, expected, why] of cases) {
    const { code, err } = await runCli("copy-store", words, {
      dir: "/nonexistent",
      env: { DENO_KV_ACCESS_TOKEN: "" },
    });
    assertEquals(code, expected, `${words}`);
    assertStringIncludes(err, why);
  }
  assertEquals((await runCli("copy-store", ["--help"], { dir: "/nonexistent" })).code, 0);
});

Deno.test("docs/backups.md: its commands back up, check, restore and copy a store", async () => {
  await withFolder(async (dir) => {
    await makeStore(`${dir}/data`);
    const env = await withDenoInPath(dir, {
      DATA_DIR: `${dir}/data`,
      BACKUP_PASSPHRASE: "correct horse battery staple",
      STATE: `${dir}/data`,
      BACKUPS: dir,
      FROM: `${dir}/data/kv.sqlite3`,
      TO: `${dir}/moved.sqlite3`,
      // As in a shell; a task within a task keeps that of the outer one.
      INIT_CWD: dir,
    });
    const run = (name: string) => runBlock(name, { doc: DOC, env, cwd: dir });
    assertStringIncludes(await run("backup"), `${dir}/agent-chat.sqlite3.secrets`);
    assertStringIncludes(await run("verify-backup"), "belongs to it");
    assertStringIncludes(await run("restore"), "replaced-");
    for (const part of ["", ".json", ".secrets"]) {
      await Deno.remove(`${dir}/agent-chat.sqlite3${part}`);
    }
    assertStringIncludes(await run("backup-denokv"), "not in this backup");
    assertStringIncludes(await run("copy-store"), "Equal");
    using moved = await openTestKv(`${dir}/moved.sqlite3`);
    assertEquals((await moved.get(["store_probes", 7])).value, { v: 1, n: 7 });
  });
});
