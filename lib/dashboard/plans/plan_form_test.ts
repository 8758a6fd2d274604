import { assert, assertEquals } from "@std/assert";
import type { Plan } from "../../store/tenants/tenant_store.ts";
import { DEFAULT_QUOTAS } from "../../schemas/limits.ts";
import { parsePlanForm, PLAN_FIELDS, QUOTA_FIELDS, readPlanForm, toPlanForm } from "./plan_form.ts";

const PLAN: Plan = {
  v: 1,
  models: [{ vendor: "vendor_a", model: "family/big" }],
  limits: { keyRequests: 120, sessionCost: 250_000, hardDailyCost: 12_340_000 },
  quotas: { agents: 5, agentBytes: 1_572_864, conversationBytes: 0 },
  visitorOverrides: "none",
  conversationDays: 0,
};

/** What a browser sends of a form that shows `plan`. */
function sent(plan: Plan): URLSearchParams {
  const { limits, quotas, chosen, ...rest } = toPlanForm(plan);
  const fields = Object.entries({ ...limits, ...quotas, ...rest });
  return new URLSearchParams([...fields, ...chosen.map((name) => ["chosen", name])]);
}

Deno.test("plan form: a plan comes back from its form as it was", () => {
  for (const plan of [PLAN, { ...PLAN, models: "all" as const, limits: {} }]) {
    assertEquals(parsePlanForm(readPlanForm(sent(plan))), { plan });
  }
});

Deno.test("plan form: every limit that a plan can hold has a field", () => {
  assertEquals(PLAN_FIELDS.length, 8);
  for (const { name, money } of PLAN_FIELDS) {
    const form = sent({ ...PLAN, limits: {} });
    form.set(name, "3");
    const parsed = parsePlanForm(readPlanForm(form));
    assert("plan" in parsed);
    assertEquals(parsed.plan.limits, { [name]: money ? 3_000_000 : 3 });
  }
});

Deno.test("plan form: every quota that a plan can hold has a field, and bytes are typed in MiB", () => {
  assertEquals(QUOTA_FIELDS.map(({ name }) => name), Object.keys(DEFAULT_QUOTAS));
  for (const { name, mib } of QUOTA_FIELDS) {
    const form = sent({ ...PLAN, quotas: {} });
    form.set(name, mib ? "1.5" : "3");
    const parsed = parsePlanForm(readPlanForm(form));
    assert("plan" in parsed);
    assertEquals(parsed.plan.quotas, { [name]: mib ? 1_572_864 : 3 });
  }
});

Deno.test("plan form: what is out of bounds or no number is told at its field", () => {
  const wrong: [string, string][] = [
    ["keyRequests", "6001"],
    ["streams", "1.5"],
    ["softDailyCost", "-1"],
    ["sessionCost", "much"],
    ["ipDailyCost", "Infinity"],
    ["conversationDays", ""],
    ["agents", "100001"],
    ["agents", "-1"],
    ["agentVersions", "0"],
    ["agentVersions", "101"],
    ["agentBytes", "a lot"],
    ["knowledgeBases", "2.5"],
    ["knowledgeBytes", "1e12"],
    ["conversationDays", "366"],
    ["visitorOverrides", "anything"],
  ];
  for (const [name, value] of wrong) {
    const form = sent(PLAN);
    form.set(name, value);
    const parsed = parsePlanForm(readPlanForm(form));
    assert("faults" in parsed, `${name}=${value}`);
    assertEquals(Object.keys(parsed.faults), [name]);
  }
});

Deno.test("plan form: a model of no slot, and a soft limit above the hard one, are refused", () => {
  const form = sent(PLAN);
  form.append("chosen", "vendor_x/big");
  form.set("softDailyCost", "1");
  const parsed = parsePlanForm(readPlanForm(form));
  assert("faults" in parsed);
  assertEquals(Object.keys(parsed.faults), ["models"]);
  const upside = sent(PLAN);
  upside.set("softDailyCost", "100");
  const reversed = parsePlanForm(readPlanForm(upside));
  assert("faults" in reversed);
  assertEquals(Object.keys(reversed.faults), ["softDailyCost"]);
});
