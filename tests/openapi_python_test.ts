/** openapi-python-client generates a client of our document that type-checks and works. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { canInstallPython, PythonProject } from "./support/python_project.ts";
import { TestService } from "./support/service.ts";

const GENERATOR = "openapi-python-client==0.29.1";
const TOOLS = [GENERATOR, "mypy==2.4.1", "httpx==0.28.1"];
/** Types that the generator does not know, as ones that it does; no formatter afterwards. */
const CONFIG =
  `content_type_overrides: {application/typescript: text/plain, application/x-ndjson: application/octet-stream}\npost_hooks: []\n`;

const SCRIPT = `
import json, os
from uuid import UUID
from generated import AuthenticatedClient
from generated.api.agents import create_agent, get_agent, list_agents
from generated.api.sessions import mint_widget_session
from generated.models import Agent, AgentBody, AgentPage, ErrorEnvelope, MintBody, MintedSession

client = AuthenticatedClient(base_url=os.environ["BASE"], token=os.environ["KEY"])
body = AgentBody.from_dict(json.loads(os.environ["BODY"]))
agent = create_agent.sync(client=client, body=body)
assert isinstance(agent, Agent)
page = list_agents.sync(client=client, limit=1)
assert isinstance(page, AgentPage)
minted = mint_widget_session.sync(client=client, body=MintBody(agent_id=agent.id), origin="https://shop.example")
assert isinstance(minted, MintedSession)
missing = get_agent.sync(id=UUID("3f2c8a51-7d0e-4b9a-9c34-5e6f7a8b9c0d"), client=client)
assert isinstance(missing, ErrorEnvelope)
print(json.dumps([agent.name, [one.name for one in page.data], minted.session_token[:3], missing.code]))
`;

const BODY = {
  name: "Generated",
  systemPrompt: "Be helpful.",
  modelPolicy: { provider: "vendor_a", model: "demo" },
  budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 30_000 },
  tools: [],
  allowedDomains: [],
  allowedOrigins: ["https://shop.example"],
};

Deno.test({
  name: "openapi-python-client: generates without warnings, type-checks and makes calls",
  ignore: !await canInstallPython(GENERATOR),
  async fn() {
    await using project = await PythonProject.create(...TOOLS);
    await using service = await TestService.start();
    const { folder } = project;
    await Deno.writeTextFile(`${folder}/config.yaml`, CONFIG);
    const document = await (await service.fetch("/v1/openapi.json")).text();
    await Deno.writeTextFile(`${folder}/openapi.json`, document);
    const printed = await project.program("openapi-python-client", [
      ...["generate", "--path", "openapi.json", "--config", "config.yaml"],
      ...["--output-path", "generated", "--meta", "none", "--fail-on-warning"],
    ]);
    assertStringIncludes(printed, "Generating");
    await project.module(["mypy", "-p", "generated"]);
    const key = await service.key(["agents:write", "widget:mint"]);
    const env = { BASE: service.url, KEY: key, BODY: JSON.stringify(BODY) };
    assertEquals(JSON.parse(await project.run(SCRIPT, env)), [
      ...["Generated", ["Generated"], "cs_", "not_found"],
    ]);
  },
});
