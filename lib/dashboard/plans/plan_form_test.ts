import { assert, assertEquals } from "@std/assert";
import type { Plan } from "../../store/tenants/tenant_store.ts";
import { DEFAULT_QUOTAS } from "../../schemas/limits.ts";
import { PLAN_FIELDS, QUOTA_FIELDS } from "./describe_plan.ts";
import { parsePlanForm, readPlanForm, toPlanForm } from "./plan_form.ts";

const PLAN: Plan = {
  v: 1,
  models: [{ vendor: "vendor_a", model: "family/big" }],
  limits: { keyRequests: 120, sessionCost: 250_000, hardDailyCost: 12_340_000 },
  quotas: { agents: 5, agentBytes: 1_572_864, conversationBytes: 0 },
  visitorOverrides: "none",
  conversationDays: 0,
};

/** The fields that a browser submits for a form that shows `plan`. */
function submit(plan: Plan): URLSearchParams {
  const { limits, quotas, chosen, ...rest } = toPlanForm(plan);
  const fields = Object.entries({ ...limits, ...quotas, ...rest });
  return new URLSearchParams([...fields, ...chosen.map((name) => ["chosen", name])]);
}

Deno.test("plan form: a submitted unchanged form gives the same plan", () => {
  for (const plan of [PLAN, { ...PLAN, models: "all" as const, limits: {} }]) {
    assertEquals(parsePlanForm(readPlanForm(submit(plan))), { plan });
  }
});

Deno.test("plan form: every limit of a plan has a field", () => {
  assertEquals(PLAN_FIELDS.length, 8);
  for (const { name, unit } of PLAN_FIELDS) {
    const form = submit({ ...PLAN, limits: {} });
    form.set(name, "3");
    const parsed = parsePlanForm(readPlanForm(form));
    assert("plan" in parsed);
    assertEquals(parsed.plan.limits, { [name]: unit === "usd" ? 3_000_000 : 3 });
  }
});

Deno.test("plan form: every quota of a plan has a field, with bytes in MiB", () => {
  assertEquals(QUOTA_FIELDS.map(({ name }) => name), Object.keys(DEFAULT_QUOTAS));
  for (const { name, unit } of QUOTA_FIELDS) {
    const form = submit({ ...PLAN, quotas: {} });
    form.set(name, unit === "mib" ? "1.5" : "3");
    const parsed = parsePlanForm(readPlanForm(form));
    assert("plan" in parsed);
    assertEquals(parsed.plan.quotas, { [name]: unit === "mib" ? 1_572_864 : 3 });
  }
});

Deno.test("plan form: reports values that are out of bounds or not numbers at their field", () => {
  const wrong: [string, string][] = [
    ["keyRequests", "60001"],
    ["ipMessages", "60001"],
    ["streams", "10001"],
    ["sessionStreams", "801"],
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
    ["users", "0"],
    ["apiKeys", "10001"],
    ["testSets", "501"],
    ["visitorOverrides", "anything"],
  ];
  for (const [name, value] of wrong) {
    const form = submit(PLAN);
    form.set(name, value);
    const parsed = parsePlanForm(readPlanForm(form));
    assert("issues" in parsed, `${name}=${value}`);
    assertEquals(Object.keys(parsed.issues), [name]);
  }
});

Deno.test("plan form: rejects an unknown provider and a soft limit above the hard one", () => {
  const form = submit(PLAN);
  form.append("chosen", "vendor_x/big");
  form.set("softDailyCost", "1");
  const parsed = parsePlanForm(readPlanForm(form));
  assert("issues" in parsed);
  assertEquals(Object.keys(parsed.issues), ["models"]);
  const swapped = submit(PLAN);
  swapped.set("softDailyCost", "100");
  const reversed = parsePlanForm(readPlanForm(swapped));
  assert("issues" in reversed);
  assertEquals(Object.keys(reversed.issues), ["softDailyCost"]);
});
