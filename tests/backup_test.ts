/** Backups: taken under load, checked, restored, and rejected when something does not fit. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { backupCommand, runBackup } from "@/lib/server/backup/backup_command.ts";
import { backupScript } from "@/lib/server/backup/backup_script.ts";
import { createBackup } from "@/lib/server/backup/create_backup.ts";
import { verifyBackup } from "@/lib/server/backup/verify_backup.ts";
import { readConfig } from "@/lib/server/config/config.ts";
import { openStore } from "@/lib/server/process/open_store.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { runCli } from "./support/command_line.ts";
import { TEST_ENCRYPTION_KEY } from "./support/encryption_keys.ts";
import { expectJson } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { openTestKv } from "./support/open_kv.ts";
import { ProviderService } from "./support/provider_service.ts";
import { TEST_HMAC_SECRET, TestService } from "./support/service.ts";
import { readStoredUsage } from "./support/stored_usage.ts";

const PASSPHRASE = "correct horse battery staple";
/** More than the 100 of the test. */
const MANY_STREAMS = {
  ...{ streams: 200, ipRequests: 1_000_000, ipMessages: 1_000_000, keyRequests: 1_000_000 },
};
const SECRETS = { API_KEY_HMAC_SECRET: TEST_HMAC_SECRET, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY };

async function withFolder(run: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await run(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** A small store in `dir`, closed. */
async function makeStore(dir: string): Promise<void> {
  await Deno.mkdir(dir, { recursive: true });
  const store = await openStore(readConfig({ DATA_DIR: dir }), {
    openKv: Deno.openKv,
    runtime: systemRuntime,
  });
  for (let n = 0; n < 50; n++) await store.kv.set(["store_probes", `entry ${n}`], { v: 1, n });
  await store.kv.delete(["store_probes", "entry 7"]);
  await store.close();
}

const filesIn = async (dir: string) =>
  (await Array.fromAsync(Deno.readDir(dir), ({ name }) => name)).sort();

Deno.test("a backup taken under the load of 100 chats restores to a service that agrees with itself", async () => {
  await withFolder(async (dir) => {
    const [data, restored] = [`${dir}/data`, `${dir}/restored`];
    await Deno.mkdir(data);
    const gate = Promise.withResolvers<void>();
    const [before, during] = [{ sent: 0 }, { sent: 0 }];
    const mock = await MockProviders.start({
      otherwise: () =>
        before.sent < 40 ? (before.sent++, {}) : {
          say: [{ text: "A " }, { wait: (during.sent++, gate.promise) }, { text: "long answer." }],
        },
    });
    const time = instantRuntime();
    await using on = await ProviderService.start(mock, {
      ...{ kvPath: `${data}/kv.sqlite3`, runtime: time.runtime, limits: MANY_STREAMS },
    });
    const agent = await on.agent("vendor_a");
    const settled = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const answer = await on.send(agent);
        assertEquals(answer.status, 200);
        await readFrames(answer);
        return answer.headers.get("x-run-id")!;
      }),
    );
    const open = await Promise.all(Array.from({ length: 60 }, () => on.send(agent)));
    const streams = Promise.all(open.map((answer) => readFrames(answer)));
    const file = `${dir}/copy.sqlite3`;
    const env = { ...SECRETS, BACKUP_PASSPHRASE: PASSPHRASE };
    const backup = runCli("backup", [file], { dir: data, env });
    gate.resolve();
    await streams;
    const { code, out, err } = await backup;
    assertEquals([code, err], [0, ""]);
    assertStringIncludes(out, file);

    const check = await runCli("verify-backup", [file], { dir: restored, env });
    assertEquals([check.code, check.err], [0, ""]);
    assertStringIncludes(check.out, "belongs to it");
    // The secrets come from the backup.
    const restore = await runCli("restore", [file], {
      dir: restored,
      env: { BACKUP_PASSPHRASE: PASSPHRASE },
    });
    assertEquals([restore.code, restore.err], [0, ""]);
    assertEquals(await filesIn(restored), [
      "kv.sqlite3",
      "kv.sqlite3.lock",
      "lock",
      "secrets.json",
    ]);
    assertEquals(JSON.parse(await Deno.readTextFile(`${restored}/secrets.json`)), {
      hmacSecret: TEST_HMAC_SECRET,
      encryptionKey: TEST_ENCRYPTION_KEY,
    });

    const kv = await openTestKv(`${restored}/kv.sqlite3`);
    await using again = await TestService.start({ kv, runtime: time.runtime });
    await again.service.orphanedRuns.sweep({ alone: true });
    const stored = await readStoredUsage(kv);
    assert(settled.every((runId) => stored.records.has(runId)), "a settled run is missing");
    assertEquals(stored.records.size, 100);
    assertEquals([stored.live, stored.leases], [[], []]);
    assertEquals(stored.used, stored.settled);
    const { key } = on;
    const usage: { costUsd: number } = await expectJson(
      await again.fetch("/v1/usage", { key }),
      200,
    );
    assert(usage.costUsd > 0);
    assertEquals(Math.round(usage.costUsd * 1e6), stored.spent);
    const reader = await again.key(["conversations:read"]);
    const list: { data: { id: string }[] } = await expectJson(
      await again.fetch("/v1/conversations?limit=100", { key: reader }),
      200,
    );
    assertEquals(list.data.length, stored.records.size);
    const { id } = list.data.at(-1)!;
    const runs = await again.fetch(`/v1/conversations/${id}`, { key: reader });
    assertEquals(runs.status, 200, await runs.clone().text());
    await runs.body?.cancel();
    await mock[Symbol.asyncDispose]();
  });
});

Deno.test("restore is rejected while a service runs, and replaces nothing then", async () => {
  await withFolder(async (dir) => {
    const [data, file] = [`${dir}/data`, `${dir}/copy.sqlite3`];
    await makeStore(data);
    const env = { BACKUP_PASSPHRASE: PASSPHRASE };
    assertEquals((await runCli("backup", [file], { dir: data, env })).code, 0);
    const running = await openStore(readConfig({ DATA_DIR: data }), {
      openKv: Deno.openKv,
      runtime: systemRuntime,
    });
    await running.kv.set(["store_probes", "later"], 1);
    const refused = await runCli("restore", [file], { dir: data, env });
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.err, "in use");
    assertStringIncludes(refused.err, "Stop the service first");
    assertEquals((await running.kv.get(["store_probes", "later"])).value, 1);
    await running.close();

    const restored = await runCli("restore", [file], { dir: data, env });
    assertEquals([restored.code, restored.err], [0, ""]);
    const folder = (await filesIn(data)).find((name) => name.startsWith("replaced-"))!;
    assertEquals(await filesIn(`${data}/${folder}`), ["kv.sqlite3", "secrets.json"]);
    using now = await openTestKv(`${data}/kv.sqlite3`);
    assertEquals((await now.get(["store_probes", "later"])).value, null);
    assertEquals((await now.get(["store_probes", "entry 8"])).value, { v: 1, n: 8 });
    using old = await openTestKv(`${data}/${folder}/kv.sqlite3`);
    assertEquals((await old.get(["store_probes", "later"])).value, 1);
  });
});

Deno.test("a backup that is cut, changed or of another installation is rejected, and not restored", async () => {
  await withFolder(async (dir) => {
    const [data, file] = [`${dir}/data`, `${dir}/copy.sqlite3`];
    await makeStore(data);
    const env = { BACKUP_PASSPHRASE: PASSPHRASE };
    assertEquals((await runCli("backup", [file], { dir: data, env })).code, 0);
    const bytes = await Deno.readFile(file);
    const manifest = await Deno.readTextFile(`${file}.json`);
    const secrets = await Deno.readTextFile(`${file}.secrets`);
    const changed = new Uint8Array(bytes);
    changed[bytes.length - 20]! ^= 1;
    const target = `${dir}/target`;
    const attempt = async (why: string, passphrase = PASSPHRASE) => {
      for (const task of ["verify-backup", "restore"] as const) {
        const env = { BACKUP_PASSPHRASE: passphrase };
        const { code, err } = await runCli(task, [file], { dir: target, env });
        assertEquals(code, 1, `${task}: ${why}`);
        assertStringIncludes(err, why);
      }
      assertEquals(await Deno.stat(`${target}/kv.sqlite3`).catch(() => "none"), "none");
    };
    await attempt("the passphrase is wrong", "another passphrase");
    await Deno.writeFile(file, bytes.subarray(0, bytes.length - 4096));
    await attempt("was cut or replaced");
    await Deno.writeFile(file, changed);
    await attempt("not the one that its manifest describes");
    await Deno.writeTextFile(file, "not a store");
    await Deno.remove(`${file}.json`);
    await attempt("is not the store of a service");
    await Deno.writeFile(file, bytes);
    await Deno.writeTextFile(`${file}.json`, manifest.slice(0, -10));
    await attempt("is damaged");
    await Deno.writeTextFile(`${file}.json`, manifest);
    await makeStore(`${dir}/other`);
    const other = `${dir}/other.sqlite3`;
    assertEquals((await runCli("backup", [other], { dir: `${dir}/other`, env })).code, 0);
    await Deno.copyFile(`${other}.secrets`, `${file}.secrets`);
    await attempt("the secrets are not those of the store");
    await Deno.writeTextFile(`${file}.secrets`, secrets);
    assertEquals((await runCli("verify-backup", [file], { dir: target, env })).code, 0);
  });
});

Deno.test("backup needs a passphrase, or the word that none is wanted, and a store", async () => {
  await withFolder(async (dir) => {
    const [data, file] = [`${dir}/data`, `${dir}/copy.sqlite3`];
    const none = await runCli("backup", [file, "--without-secrets"], { dir: data });
    assertEquals([none.code, none.err], [1, `backup: there is no store at ${data}/kv.sqlite3\n`]);
    await makeStore(data);
    const without = await runCli("backup", [file], { dir: data });
    assertEquals(without.code, 2);
    assertStringIncludes(without.err, "set BACKUP_PASSPHRASE");
    assertEquals((await runCli("backup", [file, "--without-secrets"], { dir: data })).code, 0);
    assertEquals(await filesIn(dir), ["copy.sqlite3", "copy.sqlite3.json", "data"]);
    assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
    const again = await runCli("backup", [file, "--without-secrets"], { dir: data });
    assertEquals([again.code, again.err], [1, `backup: ${file} exists already\n`]);
    const copied = new TextDecoder("latin1").decode(await Deno.readFile(file));
    assert(copied.includes("entry 8") && !copied.includes("entry 7\u0000"));
    // Without the backup's secrets, an installation that has none cannot use it.
    const refused = await runCli("restore", [file], { dir: `${dir}/new` });
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.err, "set BACKUP_PASSPHRASE");
  });
});

Deno.test("two backups to one file at once: one is made, and the other changes nothing", async () => {
  await withFolder(async (dir) => {
    await makeStore(dir);
    const [source, target] = [`${dir}/kv.sqlite3`, `${dir}/copy.sqlite3`];
    const make = () => createBackup({ source, target, runtime: systemRuntime });
    const both = await Promise.allSettled([make(), make()]);
    const rejected = both.filter((one) => one.status === "rejected").map(({ reason }) => reason);
    assertEquals(rejected.map(({ message }) => message), [`${target} exists already`]);
    assertEquals((await verifyBackup(target)).manifest?.hasSecrets, false);
    assertEquals((await filesIn(dir)).filter((name) => name.startsWith("copy")), [
      "copy.sqlite3",
      "copy.sqlite3.json",
    ]);
  });
});

Deno.test("a backup is not made with secrets that are not those of the store", async () => {
  await withFolder(async (dir) => {
    const [data, file] = [`${dir}/data`, `${dir}/copy.sqlite3`];
    await makeStore(data);
    const env = { BACKUP_PASSPHRASE: PASSPHRASE, KV_PATH: `${data}/kv.sqlite3` };
    // The wrong data folder, or a job without the service's variables.
    const wrong = await runCli("backup", [file], { dir, env: { ...env, ...SECRETS } });
    assertEquals(wrong.code, 1);
    assertStringIncludes(wrong.err, "the secrets are not those of the store");
    const none = await runCli("backup", [file], { dir: `${dir}/empty`, env });
    assertEquals(none.code, 1);
    assertStringIncludes(none.err, "there are no secrets in");
    assertEquals(await filesIn(dir), ["data"]);
  });
});

Deno.test("restore uses the environment's secrets where it has some, and applies no log that was left", async () => {
  await withFolder(async (dir) => {
    const [data, file] = [`${dir}/data`, `${dir}/copy.sqlite3`];
    await makeStore(data);
    const env = { BACKUP_PASSPHRASE: PASSPHRASE };
    assertEquals((await runCli("backup", [file], { dir: data, env })).code, 0);
    const target = `${dir}/target`;
    const half = { ...env, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY };
    const rejected = await runCli("restore", [file], { dir: target, env: half });
    assertEquals(rejected.code, 1);
    assertStringIncludes(rejected.err, "the secrets are not those of the store");
    // What a process left that was killed while it wrote, of a file that is gone.
    const lost = await openTestKv(`${dir}/lost.sqlite3`);
    for (let n = 0; n < 20; n++) await lost.set(["store_probes", `lost ${n}`], { v: 1 });
    await Deno.mkdir(target, { recursive: true });
    await Deno.copyFile(`${dir}/lost.sqlite3-wal`, `${target}/kv.sqlite3-wal`);
    await Deno.copyFile(`${dir}/lost.sqlite3`, `${dir}/hand.sqlite3`);
    await Deno.copyFile(`${dir}/lost.sqlite3-wal`, `${dir}/hand.sqlite3-wal`);
    lost.close();
    const byHand = await runCli("restore", [`${dir}/hand.sqlite3`], { dir: `${dir}/other` });
    assertEquals(byHand.code, 1);
    assertStringIncludes(byHand.err, "hand.sqlite3-wal has a part of it");
    const restored = await runCli("restore", [file], { dir: target, env });
    assertEquals([restored.code, restored.err], [0, ""]);
    using kv = await openTestKv(`${target}/kv.sqlite3`);
    assertEquals((await kv.get(["store_probes", "entry 8"])).value, { v: 1, n: 8 });
    assertEquals((await kv.get(["store_probes", "lost 1"])).value, null);
  });
});

Deno.test("scheduled backups keep the latest ones, wherever the environment points meanwhile", async () => {
  await withFolder(async (dir) => {
    const [data, folder] = [`${dir}/data`, `${dir}/backups`];
    await makeStore(data);
    const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
    const { DENO_DIR, HOME, XDG_CACHE_HOME } = Deno.env.toObject();
    const caches = { DENO_DIR, HOME, XDG_CACHE_HOME };
    const env = {
      ...Object.fromEntries(Object.entries(caches).filter(([, value]) => value !== undefined)),
      ...{ BACKUP_EVERY: "6h", BACKUP_DIR: folder, BACKUP_KEEP: "2", DATA_DIR: data },
    };
    const command = await backupCommand(root, env);
    for (let n = 0; n < 3; n++) await runBackup(command, AbortSignal.timeout(60_000));
    const names = await filesIn(folder);
    assertEquals(names.length, 4);
    assert(names.every((name) => /^agent-chat-[\dTZ]+\.sqlite3(\.json)?$/.test(name)), `${names}`);

    const script = backupScript({ deno: Deno.execPath(), root, env });
    const hostile = await new Deno.Command("/bin/sh", {
      args: ["-c", script, "sh", `${dir}/elsewhere.sqlite3`, "--store=/etc/passwd"],
      env: {
        ...{ BACKUP_DIR: `${dir}/elsewhere`, DENO_COVERAGE_DIR: `${dir}/coverage` },
        // Deno would run the code that it finds there.
        ...{ DENO_DIR: `${dir}/cache`, NODE_OPTIONS: `--import ${dir}/evil.js` },
        ...{ HOME: `${dir}/home`, lower_case: "x\nexport BACKUP_PASSPHRASE='y'" },
      },
      stderr: "piped",
      stdout: "null",
    }).output();
    assertEquals([hostile.code, new TextDecoder().decode(hostile.stderr)], [0, ""]);
    assertEquals(await filesIn(dir), ["backups", "data"]);
    assertEquals((await filesIn(folder)).length, 4);
    const failing = await backupCommand(root, { ...env, DATA_DIR: `${dir}/nothing` });
    const error = await runBackup(failing, AbortSignal.timeout(60_000)).catch((error) => error);
    assertStringIncludes(error.message, "there is no store at");
  });
});
