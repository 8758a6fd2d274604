import { assert, assertEquals } from "@std/assert";
import { createLogger, type LoggerOptions, redact } from "./log.ts";

const KEY = "ck_live_Ab12Cd34_0123456789abcdefghijABCDEFGHIJ01";
const TOKEN = "cs_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE";

function logging(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return { lines, log: createLogger({ write, now: () => 0, json: true, ...options }) };
}

Deno.test("createLogger: a JSON line is one object with time, level, message and fields", () => {
  const { log, lines } = logging();
  log.info("listening", { port: 8000, requestId: "r-1" });
  assertEquals(lines.length, 1);
  assert(lines[0]!.endsWith("}\n"));
  assertEquals(JSON.parse(lines[0]!), {
    time: "1970-01-01T00:00:00.000Z",
    level: "info",
    message: "listening",
    port: 8000,
    requestId: "r-1",
  });
});

Deno.test("createLogger: a text line escapes control characters", () => {
  const { log, lines } = logging({ json: false });
  log.warn("slow\nERROR forged", { route: "/v1/agents", note: "two words\u001b[2J", n: 3 });
  assertEquals(
    lines[0],
    '1970-01-01T00:00:00.000Z WARN  slow\\nERROR forged route=/v1/agents note="two words\\u001b[2J" n=3\n',
  );
});

Deno.test("createLogger: lines below the level are not written", () => {
  const { log, lines } = logging({ level: "warn" });
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");
  assertEquals(lines.map((line) => JSON.parse(line).message), ["c", "d"]);
});

Deno.test("createLogger: secrets are redacted in the message, in nested fields and in errors", () => {
  for (const json of [true, false]) {
    const { log, lines } = logging({ json, level: "debug" });
    log.error(`rejected ${KEY}`, {
      nested: { list: [`X-Service-Session: ${TOKEN}`], [KEY]: 1 },
      error: new Error(`bad ${TOKEN}`, { cause: new Error("authorization: Bearer abc.def") }),
      url: new URL(`http://localhost/?token=${TOKEN}`),
    });
    for (const secret of [KEY.slice(17), TOKEN, "abc.def"]) assert(!lines[0]!.includes(secret));
  }
});

Deno.test("createLogger: an error's stack is written at level debug only", () => {
  const debug = logging({ level: "debug" });
  debug.log.error("failed", { error: new TypeError("no") });
  assert(JSON.parse(debug.lines[0]!).error.stack.includes("log_test.ts"));
  const info = logging();
  info.log.error("failed", { error: new TypeError("no") });
  assertEquals(JSON.parse(info.lines[0]!).error, { name: "TypeError", message: "no" });
});

Deno.test("createLogger: accepts cycles and values that JSON cannot hold", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const { log, lines } = logging();
  log.info("odd", { big: 1n, fn: () => 1, cycle, none: undefined });
  const line = JSON.parse(lines[0]!);
  assertEquals([line.big, line.fn], ["1", "[function]"]);
});

Deno.test("createLogger: a getter that throws does not lose the line", () => {
  const { log, lines } = logging();
  log.error("odd", {
    error: {
      get message() {
        throw new Error("no");
      },
    },
  });
  const { message, fields } = JSON.parse(lines[0]!);
  assertEquals([message, fields], ["odd", "[unreadable]"]);
});

Deno.test("createLogger: a field cannot replace the line's level or message", () => {
  const { log, lines } = logging();
  log.error("real", { level: "debug", message: "fake" });
  assertEquals([JSON.parse(lines[0]!).level, JSON.parse(lines[0]!).message], ["error", "real"]);
});

Deno.test("redact: keeps the public prefix of a key and removes secrets", () => {
  assertEquals(redact(`key ${KEY}.`), "key ck_live_Ab12Cd34_[secret].");
  assertEquals(redact("ck_live_broken"), "ck_live_[secret]");
  assertEquals(redact(TOKEN), "cs_[secret]");
  assertEquals(redact(`bearer ${KEY}`), "bearer [secret]");
  assertEquals(redact("the css_class of docs_index"), "the css_class of docs_index");
});
