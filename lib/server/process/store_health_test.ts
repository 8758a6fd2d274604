import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { createLogger } from "../../platform/log.ts";
import { monitorStoreFile } from "./store_health.ts";

Deno.test("monitorStoreFile: a file that is removed or replaced is told within 10 s, and so is its return", async () => {
  const dir = await Deno.makeTempDir();
  const file = `${dir}/kv`;
  await Deno.writeTextFile(file, "store");
  const runtime = new FakeRuntime();
  const logged: string[] = [];
  const log = createLogger({ json: true, write: (line) => void logged.push(line) });
  let looked = Promise.withResolvers<void>();
  const sleep = (ms: number, signal?: AbortSignal) => {
    looked.resolve();
    return runtime.sleep(ms, signal);
  };
  const watch = await monitorStoreFile(file, { log, runtime: { sleep } });
  /** It sleeps again once it has looked. */
  const look = async () => {
    looked = Promise.withResolvers<void>();
    await runtime.advance(10_000);
    await looked.promise;
    return watch.isInPlace();
  };
  assertEquals(await look(), true);
  await Deno.rename(file, `${dir}/aside`);
  assertEquals([await look(), await look()], [false, false]);
  await Deno.writeTextFile(file, "another");
  assertEquals(await look(), false);
  await Deno.rename(`${dir}/aside`, file);
  assertEquals(await look(), true);
  await Deno.remove(dir, { recursive: true });
  assertEquals(await look(), false);
  assertEquals(logged.map((line) => JSON.parse(line).level), ["error", "warn", "error"]);
  watch.close();
  await runtime.advance(60_000);
  assertEquals(runtime.sleeping, 0);
});
