/** What a tool may be when its agent is saved. */
import { assertEquals } from "@std/assert";
import { httpTool } from "./support/agent_bodies.ts";
import { TestService } from "./support/service.ts";

const DOMAINS = ["api.example.com"];

Deno.test("POST /v1/agents takes a tool whose parameters refer to themselves", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const recursive = [
    { type: "object", properties: { child: { $ref: "#" } } },
    { type: "object", $anchor: "r", properties: { child: { $ref: "#r" } } },
    { type: "object", $id: "https://tools.example/r", properties: { child: { $ref: "#" } } },
  ];
  for (const parameters of recursive) {
    const tool = httpTool({
      parameters,
      request: { method: "GET", url: "https://api.example.com" },
    });
    const agent = await service.agent(key, { tools: [tool], allowedDomains: DOMAINS });
    assertEquals(agent.tools as unknown, [tool]);
  }
});
