import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { h } from "preact";
import { App } from "../app.ts";
import { cors } from "./cors.ts";
import { csp } from "./csp.ts";
import { csrf } from "./csrf.ts";
import { ipFilter } from "./ip_filter.ts";
import type { Middleware } from "./mod.ts";
import { trailingSlashes } from "./trailing_slashes.ts";

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

Deno.test("csrf refuses changes from other origins with 403", async () => {
  const refuse: Record<string, string>[] = [
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site", Origin: "https://a.own.example" },
    { Origin: "https://evil.example" },
    { Origin: "null" },
  ];
  for (const headers of refuse) {
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

Deno.test("cors answers OPTIONS itself and echoes the headers that were asked for", async () => {
  const res = await ask(cors({ origin: "*", maxAge: 60, allowMethods: ["GET"] }), {
    method: "OPTIONS",
    headers: { Origin: "https://a.example", "Access-Control-Request-Headers": "x-a, x-b" },
  });
  assertEquals(res.status, 204);
  assertEquals(Object.fromEntries(res.headers), {
    "access-control-allow-origin": "*",
    "access-control-max-age": "60",
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "x-a,x-b",
    "vary": "Access-Control-Request-Headers",
  });
});

Deno.test("cors names the origin only if it is allowed, and then varies by it", async () => {
  const middleware = cors({
    origin: ["https://a.example"],
    credentials: true,
    exposeHeaders: ["x"],
  });
  const yes = await ask(middleware, { headers: { Origin: "https://a.example" } });
  assertEquals(yes.headers.get("Access-Control-Allow-Origin"), "https://a.example");
  assertEquals(yes.headers.get("Access-Control-Allow-Credentials"), "true");
  assertEquals(yes.headers.get("Access-Control-Expose-Headers"), "x");
  assertEquals(yes.headers.get("Vary"), "Origin, Accept");
  const no = await ask(middleware, { headers: { Origin: "https://b.example" } });
  assertEquals(no.headers.get("Access-Control-Allow-Origin"), null);
  assertEquals(no.headers.get("Vary"), "Accept");
});

Deno.test("csp replaces defaults by directives of the same name", async () => {
  const res = await ask(csp({ csp: ["img-src *", "frame-src 'none'"], reportTo: "/r" }));
  const policy = res.headers.get("Content-Security-Policy")!.split("; ");
  assertEquals(policy.filter((each) => each.startsWith("img-src")), ["img-src *"]);
  assertEquals(policy.slice(-3), ["frame-src 'none'", "report-to csp-endpoint", "report-uri /r"]);
  assertEquals(policy.includes("script-src 'self' 'unsafe-inline'"), true);
  assertEquals(res.headers.get("Reporting-Endpoints"), 'csp-endpoint="/r"');
  const only = await ask(csp({ reportOnly: true }));
  assertEquals(only.headers.has("Content-Security-Policy-Report-Only"), true);
});

Deno.test("csp with nonces puts the page's nonce in place of 'unsafe-inline'", async () => {
  const page = await ask(csp({ useNonce: true }), { path: "/page" });
  assertMatch(page.headers.get("Content-Security-Policy")!, /script-src 'self' 'nonce-\w{32}';/);
  assertMatch(page.headers.get("Content-Security-Policy")!, /style-src 'self' 'nonce-\w{32}';/);
  const text = await ask(csp({ useNonce: true }));
  assertMatch(text.headers.get("Content-Security-Policy")!, /script-src 'self' 'unsafe-inline';/);
});

Deno.test("trailingSlashes redirects to the chosen form", async () => {
  const never = await ask(trailingSlashes("never"), { path: "/a/?b=1" });
  assertEquals([never.status, never.headers.get("location")], [302, "/a?b=1"]);
  const always = await ask(trailingSlashes("always"), { path: "/a?b=1" });
  assertEquals(always.headers.get("location"), "/a/?b=1");
  assertEquals((await ask(trailingSlashes("never"), { path: "/" })).status, 200);
});

Deno.test("ipFilter is not in this build", () => {
  assertThrows(() => ipFilter({}), Error, "not in this build");
});
