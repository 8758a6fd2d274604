import { assert, assertEquals, assertMatch } from "@std/assert";
import { toIssues } from "../../schemas/api_error.ts";
import { applyAgentPatch } from "../../services/agent_service.ts";
import { type Agent, agentBodySchema, agentPatchSchema } from "../../schemas/agent.ts";
import {
  type AgentFormValues,
  NEW_AGENT,
  readAgentForm,
  toAgentBody,
  toAgentPatch,
  toFormValues,
} from "./agent_form.ts";
import { toAgentFormIssues } from "./agent_form_issues.ts";

const MINIMAL: AgentFormValues = {
  ...NEW_AGENT,
  name: "Helper",
  systemPrompt: "You help.",
  model: "vendor_b/org/large",
};

function toAgent(values: AgentFormValues): Agent {
  const at = "2026-01-01T00:00:00.000Z";
  const body = agentBodySchema.parse(toAgentBody(values));
  return { ...body, id: crypto.randomUUID(), createdAt: at, updatedAt: at, version: 3 };
}

function issuesOf(values: AgentFormValues) {
  const parsed = agentBodySchema.safeParse(toAgentBody(values));
  assert(!parsed.success);
  return toAgentFormIssues(toIssues(parsed.error), values);
}

Deno.test("toAgentBody: omits blank optional fields", () => {
  const body = agentBodySchema.parse(toAgentBody(MINIMAL));
  assertEquals(body.modelPolicy, { provider: "vendor_b", model: "org/large" });
  assertEquals(Object.keys(body).filter((key) => /fallback|allowedOrigins/.test(key)), []);
  assertEquals(body.budget.wallClockMs, 60_000);
});

Deno.test("toAgentPatch: an unchanged form gives the same agent", () => {
  const agent = toAgent({
    ...MINIMAL,
    fallback: "vendor_a/small",
    temperature: "0.4",
    allowedDomains: "api.example.com\n\n *.example.org ",
    allowedOrigins: "https://www.example.com",
  });
  const { id: _i, createdAt: _c, updatedAt: _u, version: _v, ...body } = agent;
  const form = new URLSearchParams({ ...toFormValues(agent) });
  assertEquals(agentBodySchema.parse(toAgentBody(readAgentForm(form))), body);
});

Deno.test("toAgentPatch: unsets fields that were cleared", () => {
  const { id: _i, createdAt: _c, updatedAt: _u, version: _v, ...body } = toAgent({
    ...MINIMAL,
    fallback: "vendor_a/small",
    temperature: "0.4",
    maxOutputTokens: "100",
  });
  const patched = applyAgentPatch(body, agentPatchSchema.parse(toAgentPatch(MINIMAL)));
  assertEquals(JSON.parse(JSON.stringify(patched)).modelPolicy, {
    provider: "vendor_b",
    model: "org/large",
  });
  assertEquals(patched.fallback, undefined);
});

Deno.test("toAgentFormIssues: reports each issue at its field", () => {
  const issues = issuesOf({
    ...MINIMAL,
    name: " ",
    temperature: "hot",
    maxSteps: "",
    wallClockSeconds: "500",
    tools: "{ oops",
    allowedDomains: "fine.example\nhttps://not-a-host/",
    allowedOrigins: "http://example.com",
  });
  assertEquals(
    Object.keys(issues).sort(),
    "allowedDomains allowedOrigins maxSteps name temperature tools wallClockSeconds".split(" "),
  );
  assertMatch(issues.tools!, /^This is not valid JSON/);
  assertMatch(issues.allowedDomains!, /^“https:\/\/not-a-host\/” must be a host/);
  assertEquals(issues.wallClockSeconds, "Enter 1 to 120 seconds.");
});

Deno.test("toAgentFormIssues: an issue inside a tool contains the tool's number", () => {
  const issues = issuesOf({ ...MINIMAL, tools: `[{ "type": "mcp", "name": "1" }]` });
  assertMatch(issues.tools!, /^Tool 1, /);
});
