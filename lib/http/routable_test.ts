import { assertEquals, assertStrictEquals } from "@std/assert";
import { isFilePath, isRoutableMethod, methodRefusal, withDecodablePath } from "./routable.ts";

const HOST = "http://localhost";

Deno.test("isRoutableMethod: HTTP's core in any case, and nothing else", () => {
  const core = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "patch"];
  assertEquals(core.every(isRoutableMethod), true);
  assertEquals(["PROPFIND", "TRACE", ""].some(isRoutableMethod), false);
});

Deno.test("methodRefusal: under /v1 the refusal is the envelope with its request id", async () => {
  const refusal = methodRefusal(new Request(`${HOST}/v1/agents`, { method: "PROPFIND" }), "id");
  assertEquals(refusal.status, 405);
  assertEquals(refusal.headers.get("content-type"), "application/json");
  assertEquals(refusal.headers.get("x-request-id"), "id");
  assertEquals((await refusal.json()).code, "method_not_allowed");
});

Deno.test("methodRefusal: on the browser paths a page may read it", async () => {
  const asked = new Request(`${HOST}/v1/chat/stream`, { method: "PROPFIND" });
  const refusal = methodRefusal(asked, "id");
  assertEquals(refusal.headers.get("access-control-allow-origin"), "*");
  await refusal.body?.cancel();
});

Deno.test("methodRefusal: elsewhere it is text", async () => {
  const refusal = methodRefusal(new Request(`${HOST}/v10`, { method: "PROPFIND" }), "id");
  assertEquals(refusal.status, 405);
  assertEquals(refusal.headers.get("content-type"), "text/plain;charset=UTF-8");
  await refusal.body?.cancel();
});

Deno.test("withDecodablePath: takes the % of a path that cannot be decoded literally", async () => {
  for (const path of ["%zz", "%E0%A4", "%"]) {
    const asked = new Request(`${HOST}/v1/agents/${path}?a=%zz`, { method: "POST", body: "{}" });
    const routed = withDecodablePath(asked);
    const { pathname, search } = new URL(routed.url);
    assertEquals([decodeURI(pathname), search], [`/v1/agents/${path}`, "?a=%zz"]);
    assertEquals([routed.method, await routed.text()], ["POST", "{}"]);
  }
});

Deno.test("withDecodablePath: hands any other request on as it is", () => {
  const asked = new Request(`${HOST}/v1/agents/%C3%A9%2F?a=%zz`);
  assertStrictEquals(withDecodablePath(asked), asked);
});

Deno.test("isFilePath: plain names of bearable length, and nothing encoded", () => {
  const files = ["/favicon.svg", "/dashboard/base.css", "/_fresh/js/0a1b/chunk-AB12.js", "//a.css"];
  assertEquals(files.filter((path) => !isFilePath(path)), []);
  const others = ["/", "/a/", "/a%00", "/a%2Fb", "/..%2Fmain.ts", `/${"a".repeat(300)}`];
  assertEquals(others.filter(isFilePath), []);
});
