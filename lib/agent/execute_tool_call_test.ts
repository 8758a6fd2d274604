import { assertEquals } from "@std/assert";
import { frameSchema } from "../schemas/frames.ts";
import { type ExecuteOptions, executeToolCall } from "./execute_tool_call.ts";
import { sanitizeToolCall } from "./sanitize_messages.ts";
import type { AgentEvent } from "./agent_run_options.ts";

const callOf = (levels: number) => {
  const args = `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  return { id: "1", name: "look_up", args };
};

/** The events of a call and the arguments that reached a tool. */
async function execute(call: ReturnType<typeof callOf>, traits: Partial<ExecuteOptions> = {}) {
  const executed: unknown[] = [];
  const events: AgentEvent[] = [];
  await executeToolCall(call, {
    onEvent: (event) => events.push(event),
    tools: [{ name: "look_up", description: "Looks up.", parameters: { type: "object" } }],
    executeTool: (_name, args) => Promise.resolve(executed.push(args)),
    signal: new AbortController().signal,
    ...traits,
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

Deno.test("executeToolCall: the event of a call has the tool's progress, even for invalid arguments", async () => {
  const traitsOf = () => ({ progress: "Looking it up…" });
  for (const call of [callOf(2), callOf(5_000)]) {
    const [event] = (await execute(call, { traitsOf })).events;
    assertEquals(event?.type === "tool_call" && event.progress, "Looking it up…");
  }
  const [unknown] = (await execute({ ...callOf(2), name: "other" }, { traitsOf })).events;
  assertEquals(Object.keys(unknown!), ["type", "name", "args"]);
});

Deno.test("sanitizeToolCall: arguments that no tool was given are removed", () => {
  assertEquals(sanitizeToolCall(callOf(1_000_000)).args, "{}");
  assertEquals(sanitizeToolCall(callOf(20)), callOf(20));
});
