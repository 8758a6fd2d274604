/** The table of variables in the agent editor, without scripts. */
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { httpTool } from "./support/agents.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { agentBody, TestService } from "./support/service.ts";

type Row = [name: string, type: string, value: string, description: string];

async function open(change: Record<string, unknown> = {}) {
  const service = await TestService.start({ ...instantRuntime(), env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(service);
  const tenant = await service.tenant();
  const { agents } = service.service;
  const agent = await agents.create(tenant, { ...agentBody(), ...change });
  return {
    service,
    owner,
    agent,
    current: () => agents.get(tenant, agent.id),
    save: async (rows: Row[], fields: Record<string, string> = {}) => {
      const { name, systemPrompt, temperature, version } = toFormValues(
        await agents.get(tenant, agent.id),
      );
      const form = { name, systemPrompt, temperature, version, ...fields };
      return await owner.post(`/agents/${agent.id}`, [...Object.entries(form), ...controls(rows)]);
    },
  };
}

function controls(rows: Row[]): [string, string][] {
  const fields = ["name", "type", "default", "description"];
  return rows.flatMap((row, n) =>
    row.map((text, at): [string, string] => [`variables.${n}.${fields[at]}`, text])
  );
}

const EMPTY: Row = ["", "string", "", ""];

Deno.test("agent editor: saves the table's rows as variables, and an empty row is none", async () => {
  const { service, owner, agent, current, save } = await open();
  await using _ = service;
  const rows: Row[] = [
    EMPTY,
    [" plan ", "string", "two\r\nlines", "What the shop sold."],
    ["seats", "number", "3", ""],
    ["beta", "boolean", "false", ""],
    ["note", "string", "", ""],
  ];
  const saved = await save(rows, { systemPrompt: "For {{visitor.plan}} {{visitor.id}}" });
  assertEquals(saved.status, 303, await saved.text());
  const { variables, version } = await current();
  assertEquals(variables, [
    { name: "plan", type: "string", default: "two\nlines", description: "What the shop sold." },
    { name: "seats", type: "number", default: 3 },
    { name: "beta", type: "boolean", default: false },
    { name: "note", type: "string" },
  ]);
  const page = await (await owner.get(`/agents/${agent.id}`)).text();
  for (const text of [`name="variables.3.name"`, `value="seats"`, `name="variables.6.name"`]) {
    assertStringIncludes(page, text);
  }
  assertFalse(page.includes(`name="variables.7.name"`), "three empty rows");
  // The page saved as it is shown changes nothing.
  const again = await save([...rows.slice(1), EMPTY], {
    systemPrompt: "For {{visitor.plan}} {{visitor.id}}",
  });
  assertEquals([again.status, (await current()).version], [303, version]);
  const diff = await (await owner.get(`/agents/${agent.id}/versions/2?with=1`)).text();
  assertStringIncludes(diff, "Visitor variables");
  const cleared = await save([EMPTY, EMPTY, EMPTY], { systemPrompt: "For all." });
  assertEquals([cleared.status, (await current()).variables], [303, undefined]);
});

Deno.test("agent editor: a wrong row is named and nothing typed is lost", async (t) => {
  const { service, agent, current, save } = await open();
  await using _ = service;
  const cases: [name: string, rows: Row[], message: string][] = [
    ["no name", [["", "string", "x", ""]], "The name of variable “1” must match"],
    ["a name", [["1st", "string", "", ""]], "The name of variable “1st” must match"],
    ["the reserved name", [["id", "string", "", ""]], "is reserved for the visitor's id"],
    ["a repeated name", [["a", "string", "", ""], ["a", "number", "", ""]], "another variable"],
    ["a number", [["a", "number", "three", ""]], "does not fit: enter a number"],
    ["a boolean", [["a", "boolean", "yes", ""]], "does not fit: enter true or false"],
  ];
  for (const [name, rows, message] of cases) {
    await t.step(name, async () => {
      const answer = await save(rows);
      const page = await answer.text();
      assertEquals(answer.status, 400, page);
      assertStringIncludes(page, message);
      const [typed, , value] = rows[0]!;
      if (typed !== "") assertStringIncludes(page, `value="${typed}"`);
      if (value !== "") assertStringIncludes(page, `>${value}</textarea>`);
    });
  }
  await t.step("an unknown name in the prompt", async () => {
    const answer = await save([["plan", "string", "", ""]], { systemPrompt: "{{visitor.plam}}" });
    const page = await answer.text();
    assertEquals(answer.status, 400);
    assertStringIncludes(page, "{{visitor.plam}} is not among the agent's variables");
    assertStringIncludes(page, `value="plan"`);
  });
  assertEquals((await current()).version, agent.version);
});

Deno.test("agent editor: a variable that a tool needs is missed on both pages", async () => {
  const tool = httpTool({}, { query: { plan: "{{visitor.plan}}" } });
  const { service, owner, agent, save } = await open({
    tools: [tool],
    allowedDomains: ["tools.example.com"],
    variables: [{ name: "plan", type: "string" }],
  });
  await using _ = service;
  const answer = await save([EMPTY]);
  assertEquals(answer.status, 400);
  assertStringIncludes(await answer.text(), "Tools on the Tools page");
  const fields = (path: string) => ({
    tools: JSON.stringify([httpTool({}, { query: { plan: path } })]),
    allowedDomains: "tools.example.com",
  });
  const check = async (path: string) => {
    const url = `/agents/check?agent=${agent.id}`;
    return await (await owner.post(url, fields(path))).json();
  };
  assertEquals((await check("{{visitor.plan}}")).toolReport.problems, []);
  const { toolReport } = await check("{{visitor.plam}}");
  assertEquals(toolReport.problems[0].path, "request.query.plan");
});

Deno.test("agent editor: a new agent and a draft in the playground have their variables", async () => {
  const { service, owner, agent } = await open();
  await using _ = service;
  const values = { ...toFormValues(agent), version: "", name: "Copied" };
  const prompt = { systemPrompt: "For {{visitor.plan}}" };
  const form = [
    ...Object.entries({ ...values, ...prompt }),
    ...controls([["plan", "string", "free", ""]]),
  ] as [string, string][];
  const created = await owner.post("/agents/new", form);
  assertEquals(created.status, 303, await created.text());
  const tenant = await service.tenant();
  const { data } = await service.service.agents.list(tenant, { limit: 10 });
  const copy: Agent | undefined = data.find(({ name }) => name === "Copied");
  assertEquals(copy?.variables, [{ name: "plan", type: "string", default: "free" }]);
  const draft = await owner.send(`/agents/${agent.id}/try`, {
    messages: [{ role: "user", content: "Hi" }],
    form: Object.fromEntries(form),
  });
  assertEquals(draft.status, 200, await draft.clone().text());
  assert((await draft.text()).includes("done"));
});
