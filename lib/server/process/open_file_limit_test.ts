import { assertEquals } from "@std/assert";
import { createLogger } from "../../platform/log.ts";
import { warnOfLowFileLimit } from "./open_file_limit.ts";

async function warnings(read?: () => Promise<string>): Promise<unknown[]> {
  const logged: string[] = [];
  const log = createLogger({ json: true, write: (line) => void logged.push(line) });
  await warnOfLowFileLimit(log, read);
  return logged.map((line) => JSON.parse(line)).map(({ limit, hardLimit }) => [limit, hardLimit]);
}

const limits = (soft: string, hard: string) => () =>
  Promise.resolve(
    "Limit                     Soft Limit           Hard Limit           Units     \n" +
      "Max processes             100                  100                  processes \n" +
      `Max open files            ${soft.padEnd(20)} ${hard.padEnd(20)} files     \n`,
  );

Deno.test("warnOfLowFileLimit: warns of a limit below 4,096", async () => {
  assertEquals(await warnings(limits("1024", "4096")), [[1024, "4096"]]);
  assertEquals(await warnings(limits("4095", "unlimited")), [[4095, "unlimited"]]);
  assertEquals(await warnings(limits("4096", "4096")), []);
  assertEquals(await warnings(limits("unlimited", "unlimited")), []);
});

Deno.test("warnOfLowFileLimit: does nothing if the limit is unknown", async () => {
  assertEquals(await warnings(() => Promise.reject(new Deno.errors.NotFound())), []);
  assertEquals(await warnings(() => Promise.resolve("something else")), []);
});
