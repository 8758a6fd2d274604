import { assertEquals } from "@std/assert";
import { readFollowUps } from "./read_follow_ups.ts";

Deno.test("readFollowUps: at most three different texts of a fitting length, and nothing else", () => {
  const questions = [
    7,
    null,
    { a: 1 },
    " When? ",
    "When?",
    "",
    "x".repeat(201),
    "Why?",
    "Who?",
    "What?",
  ];
  assertEquals(readFollowUps({ questions }), ["When?", "Why?", "Who?"]);
  for (
    const args of [undefined, null, "x", 7, {}, { questions: "When?" }, { questions: { 0: "a" } }]
  ) {
    assertEquals(readFollowUps(args), []);
  }
});
