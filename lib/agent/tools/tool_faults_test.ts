import { assertEquals } from "@std/assert";
import { toolDefinitionSchema } from "../../wire/tool_definition.ts";
import { httpTool } from "@/tests/support/agents.ts";
import { toolFaults } from "./tool_faults.ts";

const tool = (name: string, parameters: Record<string, unknown> = { type: "object" }) =>
  toolDefinitionSchema.parse(httpTool({ name, parameters }));

Deno.test("toolFaults: what is wrong is told with its path in the agent", async () => {
  const wrong = tool("b", { type: "object", properties: { a: { minimum: "1" } } });
  const issues = await toolFaults([tool("a"), wrong]);
  assertEquals(issues.map(({ path, code }) => [path, code]), [
    ["tools.1.parameters.properties.a.minimum", "invalid_schema"],
  ]);
});

Deno.test("toolFaults: others get their turn between two schemas", async () => {
  let turns = 0;
  const letOthersIn = () => {
    turns++;
    return Promise.resolve();
  };
  await toolFaults([tool("a"), tool("b"), tool("c")], letOthersIn);
  assertEquals(turns, 2);
});
