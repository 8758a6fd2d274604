import { assertEquals } from "@std/assert";
import { type CheckedControl, validationMessage } from "./validation_message.ts";

type Rule = keyof CheckedControl["validity"];

const VALID: CheckedControl["validity"] = {
  valueMissing: false,
  typeMismatch: false,
  badInput: false,
  rangeUnderflow: false,
  rangeOverflow: false,
  stepMismatch: false,
  tooLong: false,
  tooShort: false,
  patternMismatch: false,
};

function messageOf(rule: Rule, control: Partial<CheckedControl> = {}): string {
  return validationMessage({
    type: "text",
    label: "Name",
    validationMessage: "the browser's",
    ...control,
    validity: { ...VALID, [rule]: true },
  });
}

Deno.test("validationMessage: each rule has a sentence that says how to mend it", () => {
  assertEquals(messageOf("valueMissing"), "Name is required.");
  assertEquals(messageOf("valueMissing", { type: "select-one" }), "Choose an option.");
  assertEquals(messageOf("valueMissing", { type: "file" }), "Choose a file.");
  assertEquals(messageOf("valueMissing", { type: "checkbox" }), "Select this to continue.");
  assertEquals(
    messageOf("typeMismatch", { type: "email" }),
    "Enter an email address, like name@example.com.",
  );
  assertEquals(messageOf("badInput", { type: "number" }), "Enter a number.");
  assertEquals(messageOf("badInput", { type: "date" }), "Enter a complete date.");
  assertEquals(messageOf("rangeUnderflow", { min: "1" }), "Use 1 or more.");
  assertEquals(messageOf("rangeOverflow", { max: "50" }), "Use 50 or less.");
  assertEquals(messageOf("stepMismatch", { step: "1" }), "Use a whole number.");
  assertEquals(messageOf("stepMismatch", { step: "0.1" }), "Use steps of 0.1.");
  assertEquals(messageOf("tooShort", { minLength: 12 }), "Use at least 12 characters.");
  assertEquals(messageOf("tooLong", { maxLength: 64 }), "Use at most 64 characters.");
  assertEquals(messageOf("patternMismatch", { title: "Use A-Z." }), "Use A-Z.");
  assertEquals(messageOf("patternMismatch"), "the browser's");
});
