import { assertEquals } from "@std/assert";
import { readConfig, textOn } from "./config.ts";

const AGENT = "7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11";
const GOOD = {
  "data-api-base": "https://chat.example/",
  "data-agent-id": AGENT,
  "data-session-token": " cs_0123456789abcdef ",
};

function read(attributes: Record<string, string>) {
  return readConfig((name) => attributes[name] ?? null, "https://shop.example/page");
}

Deno.test("readConfig: the specification's attributes are enough, the rest has defaults", () => {
  assertEquals(read(GOOD), {
    ok: true,
    config: {
      apiBase: "https://chat.example",
      agentId: AGENT,
      sessionToken: "cs_0123456789abcdef",
      theme: "auto",
      side: "right",
    },
  });
});

Deno.test("readConfig: every problem is reported at once", () => {
  const result = read({ "data-agent-id": "mine" });
  assertEquals(!result.ok && result.problems.length, 2);
});

Deno.test("readConfig: an address that is not http(s) is refused", () => {
  for (const base of ["javascript:alert(1)", "data:text/html,x", "file:///x", "https://"]) {
    assertEquals(read({ ...GOOD, "data-api-base": base }).ok, false, base);
  }
});

Deno.test("readConfig: a base path is kept, query and fragment are not", () => {
  const result = read({ ...GOOD, "data-api-base": "/chat/?x=1#y" });
  assertEquals(result.ok && result.config.apiBase, "https://shop.example/chat");
});

Deno.test("readConfig: appearance is taken from data attributes", () => {
  const result = read({
    ...GOOD,
    "data-theme": "dark",
    "data-position": "left",
    "data-accent": "#A3f",
    "data-title": "Help",
    "data-greeting": "Hello!",
  });
  assertEquals(result.ok && [result.config.theme, result.config.side, result.config.accent], [
    "dark",
    "left",
    "#aa33ff",
  ]);
  assertEquals(result.ok && [result.config.title, result.config.greeting], ["Help", "Hello!"]);
});

Deno.test("readConfig: an accent that is not a hex colour is left out", () => {
  const result = read({ ...GOOD, "data-accent": "red;background:url(//evil.example)" });
  assertEquals(result.ok && "accent" in result.config, false);
});

Deno.test("textOn: picks the readable one of white and near-black", () => {
  assertEquals(textOn("#0d6e63"), "#ffffff");
  assertEquals(textOn("#000000"), "#ffffff");
  assertEquals(textOn("#ffd400"), "#10201d");
  assertEquals(textOn("#ffffff"), "#10201d");
});
