import { assertEquals } from "@std/assert";
import { EgressAllowlist } from "../../egress/egress_allowlist.ts";
import type { ToolDefinition } from "../../schemas/tool_definition.ts";
import { findToolProblems } from "./find_tool_problems.ts";
import { toolErrorText } from "./tool_problem.ts";

const TENANT = "0197f0a2-5b7c-7c3e-9a51-2f6d1c0e8b44";

function httpTool(url: string, change: object = {}) {
  return {
    type: "http",
    name: "look_up",
    description: "Looks something up.",
    parameters: { type: "object", properties: { q: { type: "string" } } },
    request: { method: "GET", url },
    ...change,
  };
}

function find(
  tools: unknown,
  { domains = [], entries = [], operator = false, unchanged }: {
    domains?: string[];
    entries?: string[];
    operator?: boolean;
    unchanged?: ToolDefinition[];
  } = {},
) {
  return findToolProblems({ tools: JSON.stringify(tools), allowedDomains: domains.join("\n") }, {
    tenant: TENANT,
    allow: new EgressAllowlist(entries),
    isOperator: operator,
    unchanged,
  });
}

Deno.test("findToolProblems: lists the problems of all tools at once, each at its path", async () => {
  const first = httpTool("https://api.example.com/{{nope}}", { name: "no good", timeoutMs: 1 });
  const second = httpTool("https://api.example.com/", {
    request: { method: "GET", url: "https://api.example.com/", headers: { Host: "{{q}}" } },
  });
  const third = { type: "mcp", name: "look_up", url: "https://mcp.example.com/" };
  const problems = await find([first, second, third], { domains: ["mcp.example.com"] });
  assertEquals(problems.map(({ tool, path }) => [tool, path]), [
    [0, "name"],
    [0, "timeoutMs"],
    [0, "request.url"],
    [0, "request.url"],
    [1, "request.headers.Host"],
    [1, "request.url"],
    [2, "name"],
  ]);
  assertEquals(problems[2]?.message, "{{nope}} is not among the tool's parameters.");
  assertEquals(problems[3]?.allow, "api.example.com");
  assertEquals(problems[4]?.message, "Host: is set by the connection itself.");
  assertEquals(
    toolErrorText(problems)?.split("\n")[6],
    "Tool 3, name: Another tool has this name.",
  );
});

Deno.test("findToolProblems: text that is no list of tools has none, and a good tool neither", async () => {
  const url = "https://api.example.com/{{q}}";
  assertEquals(await find({}), []);
  assertEquals(await find([httpTool(url)], { domains: ["*.example.com"] }), []);
  assertEquals((await find([null, 1, "x"])).every(({ path }) => path === ""), true);
});

Deno.test("findToolProblems: a private or plain http host is a warning that names EGRESS_ALLOW", async () => {
  const tools = [
    httpTool("https://10.1.2.3/"),
    httpTool("http://crm.internal:8080/", { name: "crm" }),
    httpTool("https://localhost/", { name: "here" }),
    httpTool("https://[::1]/", { name: "six" }),
  ];
  const domains = ["10.1.2.3", "crm.internal:8080", "localhost", "[::1]"];
  const asked = await find(tools, { domains });
  assertEquals(asked.map(({ isWarning, blockedHost }) => [isWarning, blockedHost]), [
    [true, "10.1.2.3"],
    [true, "crm.internal:8080"],
    [true, "localhost"],
    [true, "[::1]"],
  ]);
  assertEquals(asked.map(({ message }) => message), [
    "10.1.2.3 is a private address, which tools may not call. Ask the operator to add it to EGRESS_ALLOW.",
    "Tools call crm.internal:8080 only over https. Use https://, or ask the operator to add it to EGRESS_ALLOW.",
    "localhost is a loopback address, which tools may not call. Ask the operator to add it to EGRESS_ALLOW.",
    "[::1] is not a public IPv6 address, which tools may not call. Ask the operator to add it to EGRESS_ALLOW.",
  ]);
  assertEquals(toolErrorText(asked), undefined);
  const [operators] = await find(tools, { domains, operator: true });
  assertEquals(
    operators?.message,
    "10.1.2.3 is a private address, which tools may not call. To allow it, set EGRESS_ALLOW.",
  );
  const allowed = [`${TENANT}=crm.internal:8080`, "10.0.0.0/8", "localhost", "[::1]"];
  assertEquals(await find(tools, { domains, entries: allowed }), []);
});

Deno.test("findToolProblems: templates of a saved tool are not checked again", async () => {
  const saved = httpTool("https://api.example.com/{{nope}}") as ToolDefinition;
  const domains = ["api.example.com"];
  assertEquals(await find([saved], { domains, unchanged: [saved] }), []);
  assertEquals((await find([saved], { domains })).length, 1);
});
