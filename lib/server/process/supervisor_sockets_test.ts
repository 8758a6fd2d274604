import { assertEquals, assertRejects } from "@std/assert";
import { systemRuntime } from "../../platform/runtime.ts";
import { readConfig } from "../config/config.ts";
import { openServedStore } from "./open_served_store.ts";
import { openStore } from "./open_store.ts";
import { readServerPlace, readySocket, serverPlaceEnv } from "./server_place.ts";
import { StartupError } from "./startup_error.ts";
import { openSupervisorSockets } from "./supervisor_sockets.ts";

const runtime = systemRuntime;

async function inTempDir(run: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  await run(dir).finally(() => Deno.remove(dir, { recursive: true }));
}

Deno.test("openServedStore: two processes use the store and secrets of a locked data folder", () =>
  inTempDir(async (dir) => {
    const config = readConfig({ DATA_DIR: dir });
    let own: Deno.Kv | undefined;
    const openKv = async (path?: string) => own = await Deno.openKv(path);
    const store = await openStore(config, { openKv, runtime });
    const sockets = await openSupervisorSockets(`${dir}/servers`, { kv: own, runtime });
    const lost: Error[] = [];
    const open = (number: number) =>
      openServedStore(config, {
        place: { number, isFirst: number === 1, dir: `${dir}/servers` },
        ...{ openKv, runtime, wrapKv: (kv: Deno.Kv) => kv, onLost: (error) => lost.push(error) },
      });
    const [first, second] = [await open(1), await open(2)];
    await first.kv.set(["a"], { n: 1 });
    assertEquals((await second.kv.get(["a"])).value, { n: 1 });
    assertEquals((await store.kv.get(["a"])).value, { n: 1 });
    assertEquals([first.isExclusive, second.isExclusive], [true, false]);
    assertEquals(second.encryptionKeys, store.encryptionKeys);
    assertEquals(second.hmacSecrets, store.hmacSecrets);
    assertEquals(second.file, await Deno.realPath(`${dir}/kv.sqlite3`));
    await first.close();
    await first.close();
    await sockets.close();
    await assertRejects(() => second.kv.get(["a"]), Deno.errors.ConnectionReset);
    assertEquals(lost.length, 1);
    await store.close();
  }));

Deno.test("openServedStore: with KV_URL each process opens the server, and ends with its supervisor", () =>
  inTempDir(async (dir) => {
    const secrets = { API_KEY_HMAC_SECRET: "s".repeat(32), ENCRYPTION_KEY: "A".repeat(43) + "=" };
    const config = readConfig({ KV_URL: "http://127.0.0.1:4512", DATA_DIR: dir, ...secrets });
    const opened: (string | undefined)[] = [];
    const openKv = (path?: string) => {
      opened.push(path);
      return Deno.openKv(":memory:");
    };
    const sockets = await openSupervisorSockets(`${dir}/servers`, { kv: undefined, runtime });
    const lost = Promise.withResolvers<Error>();
    const open = (onLost: (error: Error) => void) =>
      openServedStore(config, {
        place: { number: 1, isFirst: true, dir: `${dir}/servers` },
        ...{ openKv, runtime, wrapKv: (kv: Deno.Kv) => kv, onLost },
      });
    const [closed, left] = [await open(lost.reject), await open(lost.resolve)];
    assertEquals([left.isExclusive, opened], [false, [config.kvUrl, config.kvUrl]]);
    await closed.close();
    await closed.close();
    await sockets.close();
    assertEquals((await lost.promise).name, "ConnectionReset");
    await left.close();
  }));

Deno.test("openSupervisorSockets: its folder is private, replaces an old one and is removed", () =>
  inTempDir(async (dir) => {
    const path = `${dir}/servers`;
    await Deno.mkdir(path, { mode: 0o755 });
    await Deno.writeTextFile(`${path}/store.sock`, "");
    const sockets = await openSupervisorSockets(path, { kv: undefined, runtime });
    assertEquals((await Deno.stat(path)).mode! & 0o777, 0o700);
    const conn = await Deno.connect({ transport: "unix", path: readySocket(path) });
    await conn.write(new TextEncoder().encode("8000"));
    conn.close();
    assertEquals(await sockets.ready, 8000);
    await sockets.close();
    await assertRejects(() => Deno.stat(path), Deno.errors.NotFound);
  }));

Deno.test("openSupervisorSockets: rejects a path that is too long for a socket", () =>
  inTempDir(async (dir) => {
    const path = `${dir}/${"x".repeat(100)}`;
    const open = () => openSupervisorSockets(path, { kv: undefined, runtime });
    await assertRejects(open, StartupError, "shorter path");
  }));

Deno.test("readServerPlace: reads what serverPlaceEnv writes, and nothing else", () => {
  for (const place of [{ number: 1, isFirst: true }, { number: 64, isFirst: false }]) {
    const written = { ...place, dir: "/a b/servers" };
    assertEquals(readServerPlace(serverPlaceEnv(written)), written);
  }
  assertEquals(readServerPlace({}), undefined);
  assertEquals(readServerPlace({ SERVER_PROCESS: "yes" }), undefined);
});
