import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { ApiError } from "../schemas/api_error.ts";
import {
  isApiPath,
  isRoutableMethod,
  isStaticFilePath,
  normalizeRequest,
  requireValidHost,
} from "./normalize_request.ts";

const HOST = "http://localhost";

/** What the router gets; none of these is rejected. */
function routed(request: Request): Request {
  const routable = normalizeRequest(request);
  assert(routable instanceof Request);
  return routable;
}

/** A request as the server hands it on when its `Host` makes no URL: none can be constructed so. */
function misaddressed(url: string, method = "GET"): Request {
  return { url, method, headers: new Headers({ "x-a": "b" }) } as Request;
}

Deno.test("isRoutableMethod: accepts the core HTTP methods case-insensitively", () => {
  const core = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "patch"];
  assertEquals(core.every(isRoutableMethod), true);
  assertEquals(["PROPFIND", "TRACE", ""].some(isRoutableMethod), false);
});

Deno.test("isApiPath: is true for /v1 and everything under it", () => {
  assertEquals(["/v1", "/v1/", "/v1/agents", "/v1?a=b"].every(isApiPath), true);
  assertEquals(["/", "/v10", "/v1.js", "/a/v1/b", ""].some(isApiPath), false);
});

Deno.test("normalizeRequest: an unknown method becomes one that no route accepts", () => {
  for (const path of ["/v1/agents", "/v10", "/agents"]) {
    const asked = new Request(`${HOST}${path}/%zz?a`, {
      method: "PROPFIND",
      headers: { "x-a": "b" },
    });
    const request = routed(asked);
    assertEquals([request.method, request.url], ["PUT", `${HOST}${path}/%25zz?a`]);
    assertEquals(request.headers.get("x-a"), "b");
  }
});

Deno.test("normalizeRequest: under /v1 the middleware rejects an invalid Host", () => {
  for (const method of ["GET", "PROPFIND"]) {
    const request = routed(misaddressed("http://a b/v1/agents/%zz", method));
    assertEquals(request.url, `${HOST}/v1/agents/%25zz`);
    assertEquals(request.headers.get("x-a"), "b");
    assertThrows(() => requireValidHost(request), ApiError, "Host: names no host");
  }
  requireValidHost(routed(new Request(`${HOST}/v1/agents`)));
});

Deno.test("normalizeRequest: elsewhere an invalid Host is a 400 in plain text", async () => {
  const refusal = normalizeRequest(misaddressed("http://[/home?/v1/"));
  assert(refusal instanceof Response);
  assertEquals(refusal.status, 400);
  await refusal.body?.cancel();
});

Deno.test("normalizeRequest: escapes the % of an undecodable path", async () => {
  for (const path of ["%zz", "%E0%A4", "%"]) {
    const asked = new Request(`${HOST}/v1/agents/${path}?a=%zz`, { method: "POST", body: "{}" });
    const request = routed(asked);
    const { pathname, search } = new URL(request.url);
    assertEquals([decodeURI(pathname), search], [`/v1/agents/${path}`, "?a=%zz"]);
    assertEquals([request.method, await request.text()], ["POST", "{}"]);
  }
});

Deno.test("normalizeRequest: returns any other request unchanged", () => {
  const asked = new Request(`${HOST}/v1/agents/%C3%A9%2F?a=%zz`);
  assertStrictEquals(normalizeRequest(asked), asked);
});

Deno.test("isStaticFilePath: accepts plain names of limited length, without escapes", () => {
  const files = ["/favicon.svg", "/dashboard/base.css", "/_fresh/js/0a1b/chunk-AB12.js", "//a.css"];
  assertEquals(files.filter((path) => !isStaticFilePath(path)), []);
  const others = ["/", "/a/", "/a%00", "/a%2Fb", "/..%2Fmain.ts", `/${"a".repeat(300)}`];
  assertEquals(others.filter(isStaticFilePath), []);
});
