import { assertEquals } from "@std/assert";
import { frameSchema } from "../schemas/frames.ts";
import { executeToolCall } from "./execute_tool_call.ts";
import { sanitizeToolCall } from "./sanitize_messages.ts";
import type { AgentEvent } from "./agent_run_options.ts";

const callOf = (levels: number) => {
  const args = `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  return { id: "1", name: "look_up", args };
};

/** The events of a call and the arguments that reached a tool. */
async function execute(call: ReturnType<typeof callOf>) {
  const executed: unknown[] = [];
  const events: AgentEvent[] = [];
  await executeToolCall(call, {
    onEvent: (event) => events.push(event),
    tools: [{ name: "look_up", description: "Looks up.", parameters: { type: "object" } }],
    executeTool: (_name, args) => Promise.resolve(executed.push(args)),
    signal: new AbortController().signal,
  });
  return { executed, events };
}

Deno.test("executeToolCall: arguments too deep to be read back are reported as text and not executed", async () => {
  const call = callOf(5_000);
  const { executed, events } = await execute(call);
  assertEquals(executed, []);
  assertEquals(events[0], { type: "tool_call", name: "look_up", args: call.args });
  const code = "tool_invalid_arguments";
  const message = "the arguments are not a JSON object, or nested too deeply";
  assertEquals(events[1], {
    type: "tool_result",
    name: "look_up",
    output: { error: { code, message } },
  });
  assertEquals(events.map((frame) => frameSchema.safeParse(frame).success), [true, true]);
});

Deno.test("executeToolCall: moderately nested arguments reach their tool", async () => {
  const call = callOf(20);
  assertEquals((await execute(call)).executed, [JSON.parse(call.args)]);
});

Deno.test("sanitizeToolCall: arguments that no tool was given are removed", () => {
  assertEquals(sanitizeToolCall(callOf(1_000_000)).args, "{}");
  assertEquals(sanitizeToolCall(callOf(20)), callOf(20));
});
