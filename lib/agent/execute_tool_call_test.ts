import { assertEquals } from "@std/assert";
import { frameSchema } from "../schemas/frames.ts";
import { executeToolCall } from "./execute_tool_call.ts";
import { sanitizeToolCall } from "./message_history.ts";
import type { AgentEvent } from "./run_agent.ts";

const callOf = (levels: number) => {
  const args = `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  return { id: "1", name: "look_up", args };
};

/** What is told of a call, and which arguments reach a tool. */
async function carriedOut(call: ReturnType<typeof callOf>) {
  const executed: unknown[] = [];
  const told: AgentEvent[] = [];
  const events = executeToolCall(call, {
    tools: [{ name: "look_up", description: "Looks up.", parameters: { type: "object" } }],
    executeTool: (_name, args) => Promise.resolve(executed.push(args)),
    signal: new AbortController().signal,
  });
  for await (const event of events) told.push(event);
  return { executed, told };
}

Deno.test("carryOut: arguments too deep to be read back from a log are told as text, and reach no tool", async () => {
  const call = callOf(5_000);
  const { executed, told } = await carriedOut(call);
  assertEquals(executed, []);
  assertEquals(told[0], { type: "tool_call", name: "look_up", args: call.args });
  const code = "tool_invalid_arguments";
  const message = "the arguments are not a JSON object, or nested too deeply";
  assertEquals(told[1], {
    type: "tool_result",
    name: "look_up",
    output: { error: { code, message } },
  });
  assertEquals(told.map((frame) => frameSchema.safeParse(frame).success), [true, true]);
});

Deno.test("carryOut: arguments of some levels reach their tool", async () => {
  const call = callOf(20);
  assertEquals((await carriedOut(call)).executed, [JSON.parse(call.args)]);
});

Deno.test("asTold: a model is not told again of arguments that no tool was given", () => {
  assertEquals(sanitizeToolCall(callOf(1_000_000)).args, "{}");
  assertEquals(sanitizeToolCall(callOf(20)), callOf(20));
});
