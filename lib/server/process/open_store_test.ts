import { assert, assertEquals, assertRejects } from "@std/assert";
import { readConfig } from "../config/config.ts";
import { TenantStore } from "../../store/tenants/tenant_store.ts";
import { systemRuntime } from "../../platform/runtime.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { openStore, type OpenStoreOptions } from "./open_store.ts";
import { StoreInUseError } from "./process_lock.ts";
import { StartupError } from "./startup_error.ts";

const REAL: OpenStoreOptions = { openKv: Deno.openKv, runtime: systemRuntime };
const SECRET = "s".repeat(32);
const KEY = "A".repeat(43) + "=";
const SECRETS = { API_KEY_HMAC_SECRET: SECRET, ENCRYPTION_KEY: KEY };

async function inTempDir(run: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  await run(dir).finally(() => Deno.remove(dir, { recursive: true }));
}

Deno.test("openStore: its files belong to the owner only", () =>
  inTempDir(async (dir) => {
    const store = await openStore(readConfig({ DATA_DIR: `${dir}/data` }), REAL);
    await store.kv.set(["a"], 1);
    assertEquals((await Deno.stat(`${dir}/data`)).mode! & 0o777, 0o700);
    const names = Array.from(Deno.readDirSync(`${dir}/data`), (entry) => entry.name);
    assert(names.includes("kv.sqlite3") && names.includes("secrets.json"));
    for (const name of names) {
      assertEquals((await Deno.stat(`${dir}/data/${name}`)).mode! & 0o777, 0o600, name);
    }
    await store.close();
  }));

Deno.test("openStore: a second start uses the same secrets", () =>
  inTempDir(async (dir) => {
    const config = readConfig({ DATA_DIR: dir });
    const first = await openStore(config, REAL);
    await new TenantStore(first.kv, systemRuntime).ensureDefault();
    await first.close();
    const second = await openStore(config, REAL);
    assertEquals(second.hmacSecrets, first.hmacSecrets);
    assertEquals(second.encryptionKeys, first.encryptionKeys);
    await second.close();
    await second.close();
  }));

Deno.test("openStore: secrets of the environment take precedence, and with both none is generated", () =>
  inTempDir(async (dir) => {
    const env = { DATA_DIR: dir, API_KEY_HMAC_SECRET: SECRET, ENCRYPTION_KEY: KEY };
    const store = await openStore(readConfig(env), REAL);
    assertEquals([store.hmacSecrets, store.encryptionKeys], [[SECRET], [KEY]]);
    await assertRejects(() => Deno.stat(`${dir}/secrets.json`), Deno.errors.NotFound);
    await store.close();
  }));

Deno.test("openStore: a folder in use is rejected until its owner closes it", () =>
  inTempDir(async (dir) => {
    const config = readConfig({ DATA_DIR: dir });
    const store = await openStore(config, REAL);
    const error = await assertRejects(() => openStore(config, REAL), StoreInUseError);
    assert(error.message.includes(dir) && error.message.includes(String(Deno.pid)));
    await store.close();
    await (await openStore(config, REAL)).close();
  }));

Deno.test("openStore: two data folders cannot share an open file", () =>
  inTempDir(async (dir) => {
    const config = (name: string) =>
      readConfig({ DATA_DIR: `${dir}/${name}`, KV_PATH: `${dir}/kv`, ...SECRETS });
    const store = await openStore(config("a"), REAL);
    await assertRejects(() => openStore(config("b"), REAL), StoreInUseError, `${dir}/kv`);
    await store.close();
    await (await openStore(config("b"), REAL)).close();
  }));

Deno.test("openStore: a file has one owner, whatever links lead to it", () =>
  inTempDir(async (dir) => {
    const home = { DATA_DIR: `${dir}/home`, ...SECRETS };
    const away = { ...home, DATA_DIR: `${dir}/away`, KV_PATH: `${dir}/home/kv.sqlite3` };
    const linked = { ...home, DATA_DIR: `${dir}/linked`, KV_PATH: `${dir}/link` };
    const through = {
      ...home,
      DATA_DIR: `${dir}/through`,
      KV_PATH: `${dir}/folder/kv.sqlite3`,
    };
    await Deno.symlink(`${dir}/home/kv.sqlite3`, `${dir}/link`);
    await Deno.symlink(`${dir}/home`, `${dir}/folder`);
    await Deno.mkdir(`${dir}/home`);
    const names = [home, away, through, linked].map((env) => readConfig(env));
    for (const owner of names.toReversed()) {
      const store = await openStore(owner, REAL);
      for (const other of names) await assertRejects(() => openStore(other, REAL), StoreInUseError);
      await store.close();
    }
    // A file that a link leads to, and that is not there yet, is made where the link leads.
    assertEquals((await Deno.stat(`${dir}/home/kv.sqlite3`)).mode! & 0o777, 0o600);
  }));

Deno.test("openStore: reports the path of a damaged file or an invalid folder", () =>
  inTempDir(async (dir) => {
    const fault = async (env: Record<string, string>) => {
      const { message } = await assertRejects(() => openStore(readConfig(env), REAL), StartupError);
      return message;
    };
    await Deno.writeTextFile(`${dir}/kv.sqlite3`, "not a store".repeat(1_000));
    const damaged = await fault({ DATA_DIR: dir });
    for (const words of [`${dir}/kv.sqlite3`, "not a database", "backup", "secrets.json"]) {
      assert(damaged.includes(words), damaged);
    }
    const text = await fault({ DATA_DIR: `${dir}/kv.sqlite3` });
    assert(text.includes(`${dir}/kv.sqlite3`) && text.includes("DATA_DIR"), text);
    const below = await fault({ DATA_DIR: `${dir}/kv.sqlite3/data` });
    assert(below.includes(`${dir}/kv.sqlite3/data`), below);
    const folder = await fault({ DATA_DIR: `${dir}/data`, KV_PATH: `${dir}` });
    assert(folder.includes(dir), folder);
    assertEquals(await Deno.readTextFile(`${dir}/kv.sqlite3`), "not a store".repeat(1_000));
  }));

Deno.test("openStore: a failure to open releases the lock", () =>
  inTempDir(async (dir) => {
    const config = readConfig({ DATA_DIR: dir });
    const openKv = () => Promise.reject(new Error("no disk"));
    await assertRejects(() => openStore(config, { ...REAL, openKv }), Error, "no disk");
    await (await openStore(config, REAL)).close();
  }));

Deno.test("openStore: KV_URL and Deno Deploy need no file and no lock", () =>
  inTempDir(async (dir) => {
    const secrets = {
      API_KEY_HMAC_SECRET: SECRET,
      ENCRYPTION_KEY: KEY,
      SETUP_TOKEN: "t".repeat(16),
      PUBLIC_URL: "https://chat.example.com",
      DATA_DIR: `${dir}/none`,
    };
    const opened: (string | undefined)[] = [];
    const openKv = (path?: string) => {
      opened.push(path);
      return Deno.openKv(":memory:");
    };
    for (const where of [{ KV_URL: "http://127.0.0.1:4512" }, { DENO_DEPLOY: "1" }]) {
      const config = readConfig({ ...secrets, ...where });
      await (await openStore(config, { ...REAL, openKv })).close();
    }
    assertEquals(opened, ["http://127.0.0.1:4512", undefined]);
    await assertRejects(() => Deno.stat(`${dir}/none`), Deno.errors.NotFound);
  }));

Deno.test("openStore: explains an unreachable server and a rejected token", () =>
  inTempDir(async (dir) => {
    const url = "http://127.0.0.1:4512";
    const secrets = { API_KEY_HMAC_SECRET: SECRET, ENCRYPTION_KEY: KEY };
    const config = readConfig({ ...secrets, KV_URL: url, DATA_DIR: dir });
    for (const why of ["Connection refused", "responded with status 401 Unauthorized"]) {
      const openKv = () => Promise.reject(new TypeError(why));
      const fault = await assertRejects(() => openStore(config, { ...REAL, openKv }), StartupError);
      for (const part of [url, why, "DENO_KV_ACCESS_TOKEN"]) {
        assert(fault.message.includes(part), fault.message);
      }
    }
  }));

Deno.test("openStore: a server that does not respond fails the start after 10 seconds", () =>
  inTempDir(async (dir) => {
    const secrets = { API_KEY_HMAC_SECRET: SECRET, ENCRYPTION_KEY: KEY };
    const config = readConfig({ ...secrets, KV_URL: "http://127.0.0.1:4512", DATA_DIR: dir });
    const runtime = new FakeRuntime();
    const opening = Promise.withResolvers<void>();
    const openKv = () => {
      opening.resolve();
      return new Promise<Deno.Kv>(() => {});
    };
    const failed = assertRejects(() => openStore(config, { openKv, runtime }), StartupError);
    await opening.promise;
    await runtime.advance(10_000);
    assert((await failed).message.includes("did not answer in time"));
  }));

Deno.test("openStore: explains HMAC secrets that are not those of the store", () =>
  inTempDir(async (dir) => {
    const open = (secrets: string, options: Partial<OpenStoreOptions> = {}) =>
      openStore(readConfig({ DATA_DIR: dir, API_KEY_HMAC_SECRET: secrets }), {
        ...REAL,
        ...options,
      });
    const other = "o".repeat(32);
    await (await open(SECRET)).close();
    const { message } = await assertRejects(() => open(other), StartupError);
    for (const words of ["API_KEY_HMAC_SECRET=<new>,<old>", "secrets.json", "forget-secrets"]) {
      assert(message.includes(words), message);
    }
    assert(!message.includes(other) && !message.includes(SECRET) && !message.includes("\n"));
    await (await open(other, { allowMissingSecrets: true })).close();
    await (await open(`${other},${SECRET}`)).close();
    await (await open(other)).close();
  }));
