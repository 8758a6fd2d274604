import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { createLogger } from "../../platform/log.ts";
import { monitorStoreFile } from "./store_health.ts";

Deno.test("monitorStoreFile: reports within 10 s that a file was removed, replaced or put back", async () => {
  const dir = await Deno.makeTempDir();
  const file = `${dir}/kv`;
  await Deno.writeTextFile(file, "store");
  const runtime = new FakeRuntime();
  const logged: string[] = [];
  const log = createLogger({ json: true, write: (line) => void logged.push(line) });
  let checked = Promise.withResolvers<void>();
  const sleep = (ms: number, signal?: AbortSignal) => {
    checked.resolve();
    return runtime.sleep(ms, signal);
  };
  const watch = await monitorStoreFile(file, { log, runtime: { sleep } });
  /** Waits for the next check. */
  const check = async () => {
    checked = Promise.withResolvers<void>();
    await runtime.advance(10_000);
    await checked.promise;
    return watch.isInPlace();
  };
  assertEquals(await check(), true);
  await Deno.rename(file, `${dir}/aside`);
  assertEquals([await check(), await check()], [false, false]);
  await Deno.writeTextFile(file, "another");
  assertEquals(await check(), false);
  await Deno.rename(`${dir}/aside`, file);
  assertEquals(await check(), true);
  await Deno.remove(dir, { recursive: true });
  assertEquals(await check(), false);
  assertEquals(logged.map((line) => JSON.parse(line).level), ["error", "warn", "error"]);
  watch.close();
  await runtime.advance(60_000);
  assertEquals(runtime.sleeping, 0);
});
