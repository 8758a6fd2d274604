import { assertEquals } from "@std/assert";
import { commonPasswordIssue } from "./common_passwords.ts";

const EMAIL = { email: "maria.lindqvist@nordhaus.example" };

/** Not the list's own words: what people make of common passwords to satisfy a form. */
const COMMON = [
  "1234567890",
  "0987654321",
  "qwertyuiop",
  "Password123!",
  "P@ssw0rd2026",
  "passwordpassword",
  "iloveyou12",
  "hunter2hunter2",
  "aaaaaaaaaaaa",
  "abcdefghijkl",
  "1q2w3e4r5t",
  "drowssap321",
  "12/11/1985 ",
];

const GOOD = [
  "correct horse battery",
  "kitten-orbit-92-lamp",
  "Xk3#pP9qzT",
  "Ein Löwe liest Zeitung",
  "東京で朝ごはんを食べる犬",
  "x".repeat(3) + "violet tram under snow",
];

Deno.test("commonPasswordIssue: common passwords and variations of them are rejected", async () => {
  for (const password of COMMON) {
    assertEquals(await commonPasswordIssue(password, EMAIL), "common", password);
  }
});

Deno.test("commonPasswordIssue: a strong password is accepted in any script and length", async () => {
  const long = Array.from({ length: 200 }, (_, n) => "plum orbit seven".charAt(n % 16 * 5 % 16));
  for (const password of [...GOOD, long.join("")]) {
    assertEquals(await commonPasswordIssue(password, EMAIL), undefined, password);
  }
});

Deno.test("commonPasswordIssue: the user's e-mail and the product's name are rejected", async () => {
  const personal = [
    "maria.lindqvist@nordhaus.example",
    "Lindqvist2026!",
    "marialindqvist1",
    "nordhaus2026!",
    "AgentChatService1",
  ];
  for (const password of personal) {
    assertEquals(await commonPasswordIssue(password, EMAIL) !== undefined, true, password);
  }
});
