import { assertEquals } from "@std/assert";
import { retryAfterMs } from "./retry_after.ts";

const NOW = Date.UTC(2030, 0, 1, 0, 0, 0);

for (
  const [name, headers, words, expected] of [
    ["seconds", { "retry-after": "7" }, "", 7000],
    ["parts of seconds", { "retry-after": "0.5" }, "", 500],
    ["a date", { "retry-after": "Tue, 01 Jan 2030 00:00:09 GMT" }, "", 9000],
    ["a date that has passed", { "retry-after": "Mon, 31 Dec 2029 00:00:00 GMT" }, "", 0],
    ["milliseconds before seconds", { "retry-after-ms": "120", "retry-after": "1" }, "", 120],
    ["a delay in the body", {}, '{"details":[{"retryDelay": "33s"}]}', 33_000],
    ["a delay in parts of seconds", {}, '{"retryDelay":"1.25s"}', 1250],
    ["nonsense", { "retry-after": "soon" }, '{"retryDelay":"x"}', undefined],
    ["a negative number", { "retry-after": "-1.x" }, "", undefined],
    ["nothing", {}, "", undefined],
  ] as [string, Record<string, string>, string, number | undefined][]
) {
  Deno.test(`retryAfterMs: ${name}`, () => {
    const hint = { header: (key: string) => headers[key], errorBody: words, now: NOW };
    assertEquals(retryAfterMs(hint), expected);
  });
}
