import { assertEquals, assertStringIncludes } from "@std/assert";
import { passwordIssue } from "./credential_rules.ts";

const EMAIL = "maria.lindqvist@nordhaus.example";

const faultOf = async (password: string) => await passwordIssue({ email: EMAIL, password }) ?? "";

Deno.test("passwordIssue: 10 to 1,024 characters, counted as code points", async () => {
  assertStringIncludes(await faultOf("Xk3#pP9qz"), "at least 10");
  assertEquals(await faultOf("Xk3#pP9qzT"), "");
  assertStringIncludes(await faultOf("\u{1f980}".repeat(9)), "at least 10");
  const words = "plum orbit seven kettle window anchor ";
  assertEquals(await faultOf(words.repeat(30).slice(0, 1024)), "");
  assertStringIncludes(await faultOf(words.repeat(30).slice(0, 1025)), "at most 1024");
});

Deno.test("passwordIssue: no kind of character is required", async () => {
  for (const password of ["violet tram under snow", "кот идёт мимо реки", "482 906 713 558"]) {
    assertEquals(await faultOf(password), "", password);
  }
});

Deno.test("passwordIssue: a common password and the user's own words are rejected, each with its reason", async () => {
  for (const password of ["1234567890", "qwertyuiop", "Password123!", "010823dfcz"]) {
    assertStringIncludes(await faultOf(password), "many people use", password);
  }
  for (const password of [EMAIL, "Lindqvist2026!", "AgentChatService1"]) {
    assertStringIncludes(await faultOf(password), "your email or the name", password);
  }
});
