import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { h } from "preact";
import { App } from "../app.ts";
import { csp } from "./csp.ts";
import { csrf } from "./csrf.ts";
import { cors, ipFilter, trailingSlashes } from "./unsupported.ts";
import type { Middleware } from "../middleware.ts";

function ask(
  middleware: Middleware<unknown>,
  init: RequestInit & { path?: string } = {},
): Promise<Response> {
  const app = new App<unknown>().use(middleware)
    .get("/page", (ctx) => ctx.render(h("p", null)))
    .all("*", (ctx) => ctx.text("ok", { headers: { Vary: "Accept" } }));
  return app.handler()(new Request(`https://own.example${init.path ?? "/"}`, init));
}

Deno.test("csrf lets safe methods, same-origin requests and non-browsers pass", async () => {
  const pass: RequestInit[] = [
    { method: "GET", headers: { "Sec-Fetch-Site": "cross-site" } },
    { method: "POST" },
    { method: "POST", headers: { "Sec-Fetch-Site": "same-origin" } },
    { method: "POST", headers: { "Sec-Fetch-Site": "none" } },
    { method: "POST", headers: { Origin: "https://own.example" } },
    { method: "POST", headers: { Origin: "https://own.example", "Sec-Fetch-Site": "cross-site" } },
  ];
  for (const init of pass) assertEquals((await ask(csrf(), init)).status, 200);
});

Deno.test("csrf rejects changes from other origins with 403", async () => {
  const rejected: Record<string, string>[] = [
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site", Origin: "https://a.own.example" },
    { Origin: "https://evil.example" },
    { Origin: "null" },
  ];
  for (const headers of rejected) {
    assertEquals((await ask(csrf(), { method: "DELETE", headers })).status, 403);
  }
});

Deno.test("csrf takes one origin, several or a function", async () => {
  const init = { method: "POST", headers: { Origin: "https://a.example" } };
  for (
    const origin of ["https://a.example", ["https://a.example"], (o: string) => o.includes("a.")]
  ) {
    assertEquals((await ask(csrf({ origin }), init)).status, 200);
  }
  assertEquals((await ask(csrf({ origin: "https://b.example" }), init)).status, 403);
});

Deno.test("csp replaces defaults by directives of the same name", async () => {
  const res = await ask(csp({ csp: ["img-src *", "frame-src 'none'"] }));
  const policy = res.headers.get("Content-Security-Policy")!.split("; ");
  assertEquals(policy.filter((each) => each.startsWith("img-src")), ["img-src *"]);
  assertEquals(policy.at(-1), "frame-src 'none'");
  assertEquals(policy.includes("script-src 'self' 'unsafe-inline'"), true);
});

Deno.test("csp with nonces puts the page's nonce in place of 'unsafe-inline'", async () => {
  const page = await ask(csp({ useNonce: true }), { path: "/page" });
  assertMatch(page.headers.get("Content-Security-Policy")!, /script-src 'self' 'nonce-\w{32}';/);
  assertMatch(page.headers.get("Content-Security-Policy")!, /style-src 'self' 'nonce-\w{32}';/);
  const text = await ask(csp({ useNonce: true }));
  assertMatch(text.headers.get("Content-Security-Policy")!, /script-src 'self' 'unsafe-inline';/);
});

Deno.test("csp with reportOnly or reportTo is not in this build", () => {
  for (const options of [{ reportOnly: true }, { reportTo: "/reports" }]) {
    assertThrows(() => csp(options), Error, "not in this build");
  }
});

Deno.test("cors, ipFilter and trailingSlashes are not in this build", () => {
  for (const middleware of [cors, ipFilter, trailingSlashes]) {
    assertThrows(() => middleware(), Error, "not in this build");
  }
});
