import { assertEquals } from "@std/assert";
import { encodeCdata, encodeForm, encodeXml } from "./encodings.ts";
import { Redactor } from "./redactor.ts";

const SECRET = "sk/live+\"é & 42]>'";

function redactorOf(...secrets: string[]) {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
}

Deno.test("Redactor: finds a secret in plain text and in every common encoding", () => {
  const bytes = new TextEncoder().encode(SECRET);
  const percent = encodeURIComponent(SECRET);
  const spellings = [
    SECRET,
    JSON.stringify(SECRET).slice(1, -1),
    percent,
    percent.toLowerCase(),
    new URLSearchParams({ k: SECRET }).toString().slice(2),
    bytes.toBase64(),
    bytes.toBase64({ alphabet: "base64url", omitPadding: true }),
    bytes.toHex(),
    bytes.toHex().toUpperCase(),
    SECRET.replace("&", "&amp;").replace('"', "&quot;").replace(">", "&gt;"),
    encodeXml(SECRET),
    encodeCdata(SECRET),
    encodeForm(JSON.stringify({ k: SECRET })),
  ];
  const redactor = redactorOf(SECRET);
  for (const spelling of spellings) {
    assertEquals(redactor.redactText(`<${spelling}>`).includes("[secret]"), true, spelling);
    assertEquals(redactor.containsSecret(`x${spelling}x`), true, spelling);
  }
});

Deno.test("Redactor: base64 of a longer text reveals at most the edges of the secret", () => {
  const redactor = redactorOf("correct horse battery");
  for (const before of ["", "u", "us", "user:", "user1:"]) {
    for (const after of ["", "x", "xy"]) {
      const echoed = btoa(`${before}correct horse battery${after}`);
      const [left = "", right = ""] = redactor.redactText(echoed).split("[secret]");
      assertEquals(redactor.redactText(echoed) === echoed, false, echoed);
      assertEquals(atob(left.slice(0, left.length & ~3)).includes("co"), false);
      assertEquals(right.length <= 6, true, right);
    }
  }
});

Deno.test("Redactor: redacts keys, numbers and nested values", () => {
  const redactor = redactorOf("123456", "quiet");
  const value = { quiet: 1, list: [123456, "a quiet b", { n: 7 }], none: null, yes: true };
  assertEquals(redactor.redactValue(value), {
    "[secret]": 1,
    list: ["[secret]", "a [secret] b", { n: 7 }],
    none: null,
    yes: true,
  });
});

Deno.test("Redactor: the longer of two overlapping secrets wins, an empty one is ignored", () => {
  assertEquals(redactorOf("abc", "abcdef", "").redactText("abcdef abc"), "[secret] [secret]");
  assertEquals(redactorOf("").containsSecret("anything"), false);
});
