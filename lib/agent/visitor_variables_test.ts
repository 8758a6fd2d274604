import { assertEquals } from "@std/assert";
import type { AgentVariable } from "../schemas/visitor.ts";
import { expandPrompt, promptIssues, visitorValues } from "./visitor_variables.ts";

const variables: AgentVariable[] = [
  { name: "plan", type: "string", default: "free" },
  { name: "seats", type: "number" },
  { name: "beta", type: "boolean", default: false },
];

function expand(prompt: string, values: Record<string, string | number | boolean> = {}) {
  return expandPrompt(prompt, { variables, visitor: { id: "v-1", variables: values } });
}

Deno.test("expandPrompt: inserts values, defaults, nothing without either, and the visitor's id", () => {
  const prompt = "{{visitor.id}}: {{visitor.plan}}, {{visitor.seats}} seats, {{visitor.beta}}";
  assertEquals(expand(prompt, { plan: "pro", seats: 3, beta: true }), "v-1: pro, 3 seats, true");
  assertEquals(expand(prompt), "v-1: free,  seats, false");
  const unnamed = expandPrompt(prompt, { variables, visitor: undefined });
  assertEquals(unnamed, ": free,  seats, false");
});

Deno.test("expandPrompt: a value adds no placeholder, whatever it looks like", () => {
  for (const value of ["{{visitor.seats}}", "$&", "$1", "{{visitor.", "}}", "a\n{{secret.KEY}}"]) {
    assertEquals(
      expand("<{{visitor.plan}}>{{visitor.seats}}", { plan: value, seats: 1 }),
      `<${value}>1`,
    );
    // Nor does it complete one with the text around it.
    assertEquals(expand("{{visitor.{{visitor.plan}}}}", { plan: "seats" }), "{{visitor.seats}}");
  }
});

Deno.test("expandPrompt: what is no variable stays as it is", () => {
  for (
    const text of ["{{visitor.other}}", "{{ visitor.plan }}", "{{plan}}", "{{visitor.toString}}"]
  ) {
    assertEquals(expand(text), text);
  }
});

Deno.test("visitorValues: counts only values of declared variables and of their types", () => {
  const visitor = { id: "v-1", variables: { plan: 7, seats: 2, other: "x", constructor: "y" } };
  const values = Object.fromEntries(visitorValues(variables, visitor));
  assertEquals(values, { id: "v-1", plan: "free", seats: 2, beta: false });
  assertEquals(Object.fromEntries(visitorValues(undefined, undefined)), {});
});

Deno.test("promptIssues: names unknown variables once, and too many placeholders", () => {
  assertEquals(promptIssues("{{visitor.id}} {{visitor.plan}} {{visitor.}}", variables), []);
  const issues = promptIssues("{{visitor.x}} {{visitor.x}} {{visitor.plan-b}}", variables);
  assertEquals(issues.map(({ path, code, message }) => [path, code, message]), [
    ["systemPrompt", "unknown_variable", "{{visitor.x}} is not among the agent's variables"],
    ["systemPrompt", "unknown_variable", "{{visitor.plan-b}} is not among the agent's variables"],
  ]);
  assertEquals(promptIssues("{{visitor.plan}}".repeat(64), variables), []);
  const [many] = promptIssues("{{visitor.plan}}".repeat(65), variables);
  assertEquals(many?.code, "too_many_placeholders");
});
