import { assertEquals } from "@std/assert";
import { describeConstraints, refName } from "./describe_constraints.ts";

Deno.test("describeConstraints: describes ranges with their unit, open or closed", () => {
  assertEquals(describeConstraints({ type: "string", minLength: 1, maxLength: 128 }), [
    "1-128 characters",
  ]);
  assertEquals(describeConstraints({ type: "array", maxItems: 16 }), ["at most 16 items"]);
  assertEquals(describeConstraints({ type: "integer", exclusiveMinimum: 0 }), ["more than 0"]);
  assertEquals(describeConstraints({ type: "integer", minimum: 1, maximum: 100, default: 20 }), [
    "1-100",
    "20 by default",
  ]);
  assertEquals(describeConstraints({ type: "string", pattern: "^a$" }), ["matches ^a$"]);
  assertEquals(describeConstraints({ type: "boolean" }), []);
});

Deno.test("refName: is the last part of the reference", () => {
  assertEquals(refName("#/components/schemas/Agent"), "Agent");
});
