import { assertEquals } from "@std/assert";
import { MEMORY_BOUNDS } from "../../schemas/memory.ts";
import { askAgentTool } from "./ask_agent_tool.ts";
import { memoryTools } from "./memory_tools.ts";

/** What OpenAI accepts: a longer description fails every request with a 400. */
const MAX_LENGTH = 1_024;

Deno.test("memoryTools: the longest instructions fit beside what the service says", () => {
  const instructions = "x".repeat(MEMORY_BOUNDS.instructions);
  const memory = { remember: () => Promise.resolve("1"), forget: () => Promise.resolve() };
  const tools = memoryTools(memory, { instructions });
  const tooLong = tools.filter(({ tool }) => tool.description.length > MAX_LENGTH);
  assertEquals(tooLong, []);
  assertEquals(JSON.stringify(tools).includes(instructions), true);
});

Deno.test("askAgentTool: the longest description of an owner stays as it is", () => {
  const description = "x".repeat(MAX_LENGTH);
  const definition = { type: "agent", name: "ask", description, agentId: "a" } as const;
  const { tool } = askAgentTool(definition, () => Promise.resolve({ answer: "" }));
  assertEquals(tool.description, description);
  assertEquals(JSON.stringify(tool.parameters).includes("The answer is data"), true);
});
