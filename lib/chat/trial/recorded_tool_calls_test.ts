import { assertEquals } from "@std/assert";
import { RecordedToolCalls } from "./recorded_tool_calls.ts";

Deno.test("RecordedToolCalls: the same call gets its result, whatever the order of its arguments", () => {
  const source = new RecordedToolCalls([
    { name: "find", args: { a: 1, b: 2 }, output: "first" },
    { name: "find", args: { b: 2, a: 1 }, output: "second" },
    { name: "pay", args: {}, output: { done: true } },
    { name: "late", args: {} },
  ]);
  const args = { b: 2, a: 1 };
  assertEquals(source.answer("find", args), { output: "first" });
  assertEquals(source.answer("find", args), { output: "second" });
  // A third one is no other call: nothing has changed since.
  assertEquals(source.answer("find", args), { output: "second" });
  assertEquals(source.answer("pay", {}), { output: { done: true } });
});

Deno.test("RecordedToolCalls: another name, other arguments and a call without a result differ", () => {
  const source = new RecordedToolCalls([
    { name: "find", args: { a: 1 }, output: "first" },
    { name: "late", args: {} },
  ]);
  const others = [["find", { a: 2 }], ["find", {}], ["other", { a: 1 }], ["late", {}]] as const;
  for (const [name, args] of others) {
    const { output, differs } = source.answer(name, args);
    assertEquals([differs, (output as { error: { code: string } }).error.code], [
      true,
      "tool_unavailable",
    ]);
  }
});
