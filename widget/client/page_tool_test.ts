import { assertEquals, assertMatch } from "@std/assert";
import { actInOneTab, callPageTool, type PageTool, type ToolAnswer } from "./page_tool.ts";

const { signal } = new AbortController();

/** The answer of a tool, and what its developer reads. */
async function answerOf(tool: PageTool | undefined): Promise<[ToolAnswer, unknown[]]> {
  const { error } = console;
  const lines: unknown[] = [];
  console.error = (line: unknown) => lines.push(line);
  try {
    return [await callPageTool(tool, { name: "read_cart", args: { id: 1 }, signal }), lines];
  } finally {
    console.error = error;
  }
}

Deno.test("callPageTool: the output is JSON, and nothing is null", async () => {
  const cases: [PageTool, unknown][] = [
    [() => ({ total: 12 }), { total: 12 }],
    [() => Promise.resolve(["a"]), ["a"]],
    [() => undefined, null],
    [() => NaN, null],
    [() => new Date(0), "1970-01-01T00:00:00.000Z"],
    [({ id }) => id, 1],
  ];
  for (const [tool, output] of cases) assertEquals(await answerOf(tool), [{ output }, []]);
});

Deno.test("callPageTool: gets the arguments and a signal", async () => {
  const seen: unknown[] = [];
  await callPageTool((...given) => seen.push(...given), {
    ...{ name: "read_cart", args: { id: 1 }, signal },
  });
  assertEquals(seen, [{ id: 1 }, { signal }]);
});

Deno.test("callPageTool: what fails is an error for the model and a line for the developer", async () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const cases: [PageTool | undefined, RegExp][] = [
    [undefined, /^not available on this page$/],
    [() => Promise.reject(new Error("The cart is locked.")), /^The cart is locked\.$/],
    [() => {
      throw "plain";
    }, /^plain$/],
    [() => {
      throw new Error("");
    }, /^Error$/],
    [() => {
      throw new Error("x".repeat(5000));
    }, /^x{1000}$/],
    [() => Promise.reject(""), /^failed$/],
    [() => Promise.reject(Symbol("closed")), /^Symbol\(closed\)$/],
    [() => Promise.reject("a\0b"), /^ab$/],
    // The limit is within a pair of surrogates.
    [() => Promise.reject(`${"x".repeat(999)}👍`), /^x{999}$/],
    [() => circular, /circular/],
    [() => 1n, /BigInt/],
    [() => () => 1, /^not JSON up to 256 KiB$/],
    [() => Symbol("x"), /^not JSON up to 256 KiB$/],
    [() => "é".repeat(128 * 1024), /^not JSON up to 256 KiB$/],
    ["no function" as never, /not a function/],
  ];
  for (const [tool, message] of cases) {
    const [answer, lines] = await answerOf(tool);
    assertMatch((answer as { error: string }).error, message);
    assertEquals(lines, ["[agent-chat] tool read_cart:"]);
  }
  assertEquals(await answerOf(() => "x".repeat(256 * 1024 - 2)), [{
    output: "x".repeat(256 * 1024 - 2),
  }, []]);
});

Deno.test("actInOneTab: acts once, also where locks are missing or rejected", async () => {
  const rejecting = () => Promise.reject(new DOMException("sandboxed", "SecurityError"));
  const free = (_name: string, _options: unknown, act: (lock: unknown) => unknown) => act({});
  for (const locks of [undefined, { request: rejecting }, { request: free }]) {
    for (const failure of [undefined, new Error("closed")]) {
      Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
      const acted: string[] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      // A free lock is held until the page is left.
      const ended = actInOneTab("run.2", () => {
        acted.push("acted");
        resolve();
        return failure ? Promise.reject(failure) : Promise.resolve();
      });
      if (locks?.request !== free) await ended.catch(() => {});
      await promise;
      assertEquals(acted, ["acted"]);
    }
  }
});
