/** The routes that need no credentials: their complete list, and what they serve. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pageMethodsOf } from "@/lib/http/page_methods.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { breakableKv } from "./support/broken_kv.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { PUBLIC_ROUTES } from "./support/public_routes.ts";
import { addressOf, patternOf, routeFiles } from "./support/route_files.ts";
import { sendRaw } from "./support/send_raw.ts";
import { TestService } from "./support/service.ts";
import { chat } from "./support/widget_calls.ts";

const SHORT = "public, max-age=60, must-revalidate, no-transform";

Deno.test("every file under routes/ is a listed public route or a dashboard route", () => {
  const files = routeFiles().filter((file) => !isDashboard(file));
  const listed = new Set(PUBLIC_ROUTES.map((route) => route.file));
  assertEquals(files.sort(), [...listed].sort());
});

Deno.test("every public route answers a request without credentials as listed", async (t) => {
  await using service = await TestService.start();
  for (const { method, path, status, type, code } of PUBLIC_ROUTES) {
    await t.step(`${method} ${path} is ${status}`, async () => {
      const answer = await service.fetch(path, { method });
      assertEquals(answer.status, status);
      assertEquals(answer.headers.get("content-type")?.split(";")[0] ?? null, type);
      if (code !== undefined) return void await expectError(answer, code);
      await answer.body?.cancel();
    });
  }
});

Deno.test("no dashboard route under (admin) shows anything without a sign-in", async (t) => {
  await using service = await TestService.start();
  const isShown = (file: string) => pageMethodsOf(patternOf(file)).includes("GET");
  const files = routeFiles().filter((file) => file.startsWith("(admin)/") && isShown(file));
  assert(files.length > 0);
  for (const path of files.map((file) => addressOf(file))) {
    await t.step(`GET ${path} redirects to the setup`, async () => {
      const answer = await service.fetch(path);
      assertEquals([answer.status, answer.headers.get("location")], [303, "/setup"]);
      assertEquals(await answer.text(), "");
    });
  }
});

Deno.test("GET /widget.v1.js serves the bytes that its integrity hash is of, to any site", async () => {
  await using service = await TestService.start();
  const script = await service.fetch("/widget.v1.js");
  assertEquals(script.status, 200);
  assertEquals(script.headers.get("content-type"), "text/javascript; charset=utf-8");
  assertEquals(script.headers.get("cache-control"), SHORT);
  assertEquals(script.headers.get("access-control-allow-origin"), "*");
  assertEquals(script.headers.get("access-control-allow-credentials"), null);
  assertEquals(script.headers.get("cross-origin-resource-policy"), "cross-origin");
  assertEquals(script.headers.get("x-content-type-options"), "nosniff");
  const bytes = await script.bytes();
  const json = await service.fetch("/widget.v1.json");
  const { integrity, bytes: length, version, pinned } = await expectJson(json, 200);
  assertEquals(integrity, await sha384(bytes));
  assertEquals([length, version], [bytes.length, "v1"]);
  assertMatch(pinned, /^\/widget\.v1\.[0-9a-f]{12}\.js$/);
  assertEquals(json.headers.get("cache-control"), SHORT);
  assertEquals(json.headers.get("access-control-allow-origin"), "*");
});

Deno.test("GET /widget-panel.v1.<hash>.js is the file that the launcher names, immutable, to any site", async () => {
  await using service = await TestService.start();
  const launcher = await (await service.fetch("/widget.v1.js")).text();
  const [name] = /widget-panel\.v1\.[0-9a-f]{12}\.js/.exec(launcher)!;
  const [integrity] = /sha384-[A-Za-z0-9+/]{64}/.exec(launcher)!;
  const answer = await service.fetch(`/${name}?1`);
  assertEquals([answer.status, answer.headers.get("access-control-allow-origin")], [200, "*"]);
  assertEquals(answer.headers.get("content-type"), "text/javascript; charset=utf-8");
  const cache = "public, max-age=31536000, immutable, no-transform";
  assertEquals(answer.headers.get("cache-control"), cache);
  const bytes = await answer.bytes();
  assertEquals(integrity, await sha384(bytes));
  const { panel } = await expectJson(await service.fetch("/widget.v1.json"), 200);
  assertEquals(panel, { integrity, bytes: bytes.length, pinned: `/${name}` });
});

Deno.test("GET /widget-extras.v1.<hash>.js is the file that the panel names, immutable, to any site", async () => {
  await using service = await TestService.start();
  const { panel, extras } = await expectJson(await service.fetch("/widget.v1.json"), 200);
  const source = await (await service.fetch(panel.pinned)).text();
  assertStringIncludes(source, `"${extras.pinned.slice(1)}"`);
  assertStringIncludes(source, `"${extras.integrity}"`);
  const answer = await service.fetch(`${extras.pinned}?1`);
  assertEquals([answer.status, answer.headers.get("access-control-allow-origin")], [200, "*"]);
  assertEquals(answer.headers.get("content-type"), "text/javascript; charset=utf-8");
  const cache = "public, max-age=31536000, immutable, no-transform";
  assertEquals(answer.headers.get("cache-control"), cache);
  const bytes = await answer.bytes();
  assertEquals([extras.integrity, extras.bytes], [await sha384(bytes), bytes.length]);
});

Deno.test("scripts are sent with brotli or gzip to clients that accept it, each with its own ETag", async () => {
  await using service = await TestService.start();
  const { pinned, panel, extras } = await (await service.fetch("/widget.v1.json")).json();
  for (const path of ["/widget.v1.js", "/client.v1.js", pinned, panel.pinned, extras.pinned]) {
    const ask = async (accepted: string) => {
      const request = `HEAD ${path} HTTP/1.1\r\nhost: a\r\naccept-encoding: ${accepted}\r\n\r\n`;
      const { status, headers } = await sendRaw(service.url, request);
      assertEquals(status, "HTTP/1.1 200 OK");
      assertStringIncludes(headers.get("vary") ?? "", "ccept-");
      return [headers.get("content-encoding"), headers.get("etag")];
    };
    const answers = [await ask("br, gzip"), await ask("gzip"), await ask("identity")];
    assertEquals(answers.map(([coding]) => coding), ["br", "gzip", undefined], path);
    assertEquals(new Set(answers.map(([, etag]) => etag)).size, 3);
  }
});

Deno.test("GET /widget.v1.js answers 304 to its own ETag and 200 to another", async () => {
  await using service = await TestService.start();
  const first = await service.fetch("/widget.v1.js");
  await first.body?.cancel();
  const etag = first.headers.get("etag")!;
  const ask = (tag: string) =>
    service.fetch("/widget.v1.js", { headers: { "if-none-match": tag } });
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const answer = await ask(tag);
    assertEquals([answer.status, await answer.text()], [304, ""]);
    assertEquals(answer.headers.get("etag"), etag);
    assertEquals(answer.headers.get("cache-control"), SHORT);
    assertEquals(answer.headers.get("access-control-allow-origin"), "*");
  }
  const other = await ask('"000000000000"');
  assertEquals(other.status, 200);
  await other.body?.cancel();
});

Deno.test("GET /widget.v1.<hash>.js is the same script and immutable; an unknown hash is 404", async () => {
  await using service = await TestService.start();
  const { pinned, integrity } = await (await service.fetch("/widget.v1.json")).json();
  const script = await service.fetch(pinned);
  assertEquals(script.status, 200);
  assertEquals(script.headers.get("content-type"), "text/javascript; charset=utf-8");
  const cache = "public, max-age=31536000, immutable, no-transform";
  assertEquals(script.headers.get("cache-control"), cache);
  assertEquals(script.headers.get("access-control-allow-origin"), "*");
  assertEquals(await sha384(await script.bytes()), integrity);
  for (const hash of ["000000000000", "x", pinned.slice(11, 22)]) {
    const unknown = await service.fetch(`/widget.v1.${hash}.js`);
    assertEquals(unknown.status, 404);
    await unknown.body?.cancel();
  }
});

Deno.test("GET /demo has one script tag with exactly the specified attributes", async () => {
  await using service = await TestService.start();
  const { integrity } = await (await service.fetch("/widget.v1.json")).json();
  const { answer, tag } = await demo(service);
  assertEquals(answer.status, 200);
  assertEquals(answer.headers.get("content-type"), "text/html; charset=utf-8");
  assertEquals(answer.headers.get("cache-control"), "no-store");
  const { "data-agent-id": agentId, "data-session-token": token, ...rest } = tag;
  assertEquals(rest, {
    src: `${service.url}/widget.v1.js`,
    integrity,
    crossorigin: "anonymous",
    "data-service-widget": "",
    "data-api-base": service.url,
  });
  assertEquals(agentId, service.service.demoAgent?.id);
  assertMatch(token!, /^cs_/);
});

Deno.test("the session token of /demo works in a chat from its own origin only", async () => {
  await using service = await TestService.start(instantRuntime());
  const { tag } = await demo(service);
  const sessionToken = tag["data-session-token"]!;
  const agent = { id: tag["data-agent-id"]! };
  const here = await chat(service, agent, { sessionToken, headers: { origin: service.url } });
  const frames = await readFrames(here);
  assertMatch(textOf(frames), /Hello/);
  assertEquals(frames.at(-1)?.frame, { type: "done", finishReason: "stop" });
  const headers = { origin: "https://evil.example" };
  await expectError(await chat(service, agent, { sessionToken, headers }), "origin_not_allowed");
});

Deno.test("the content security policy of /demo allows the script's and the service's origin, and nothing unsafe", async () => {
  const cdn = "https://cdn.example.com";
  for (const env of [{}, { CDN_URL: cdn }]) {
    await using service = await TestService.start({ env });
    const { answer, tag } = await demo(service);
    const policy = answer.headers.get("content-security-policy") ?? "";
    // An agent's avatar is a data: address, which images alone may have.
    assertEquals(policy.replace("img-src 'self' data:", "").match(/unsafe-|\*|data:|blob:/g), null);
    const directives = Object.fromEntries(
      policy.split("; ").map((one) => [one.split(" ")[0]!, one.split(" ").slice(1).join(" ")]),
    );
    assertEquals(directives["default-src"], "'none'");
    assertEquals(directives["script-src"], new URL(tag.src!).origin);
    assertEquals(directives["connect-src"], tag["data-api-base"]);
    assertEquals(new URL(tag.src!).origin, "CDN_URL" in env ? cdn : service.url);
  }
});

Deno.test("DEMO=off removes /demo and its agent", async () => {
  await using service = await TestService.start({ env: { DEMO: "off" } });
  const answer = await service.fetch("/demo");
  assertEquals(answer.status, 404);
  assertEquals((await answer.text()).includes("data-service-widget"), false);
  const key = await service.key(["agents:read"]);
  assertEquals(await expectJson(await service.fetch("/v1/agents", { key }), 200), { data: [] });
});

Deno.test("GET /healthz is 200 while the process lives, GET /readyz only while the store answers", async () => {
  const store = await breakableKv();
  await using service = await TestService.start({ kv: store.kv });
  for (const path of ["/healthz", "/readyz"]) {
    const answer = await service.fetch(path);
    assertEquals(await expectJson(answer, 200), { status: "ok" });
    assertEquals(answer.headers.get("cache-control"), "no-store");
  }
  store.break("the disk is gone");
  assertEquals(await expectJson(await service.fetch("/healthz"), 200), { status: "ok" });
  const unready = await service.fetch("/readyz");
  assertEquals(unready.headers.get("retry-after"), "2");
  assertEquals(await expectJson(unready, 503), { status: "unavailable" });
});

Deno.test("GET /readyz: 503 while the store can be read but not written", async () => {
  const store = await breakableKv();
  await using service = await TestService.start({ kv: store.kv, ...instantRuntime() });
  const key = await service.key();
  const agent = await service.agent(key);
  store.break("the disk is full", ["atomic", "set"]);
  const json = { agentId: agent.id, messages: [{ role: "user", content: "Hello" }] };
  const rejected = await service.fetch("/v1/chat/stream", { method: "POST", key, json });
  assertEquals(rejected.status, 503);
  await rejected.body?.cancel();
  const ready = () => statusOf(service, "/readyz");
  assertEquals([await ready(), await ready()], [503, 503]);
  store.break("", []);
  assertEquals(await ready(), 200);
});

async function statusOf(service: TestService, path: string): Promise<number> {
  const answer = await service.fetch(path);
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("GET /readyz: 503 if the store's file has been removed, although the open store still answers", async () => {
  let inPlace = true;
  await using service = await TestService.start({ isStoreInPlace: () => inPlace });
  assertEquals(await expectJson(await service.fetch("/readyz"), 200), { status: "ok" });
  inPlace = false;
  assertEquals(await expectJson(await service.fetch("/readyz"), 503), { status: "unavailable" });
  assertEquals(await expectJson(await service.fetch("/healthz"), 200), { status: "ok" });
});

function isDashboard(file: string): boolean {
  return file.startsWith("(admin)/") || file.startsWith("(public)/");
}

async function sha384(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return `sha384-${new Uint8Array(await crypto.subtle.digest("SHA-384", bytes)).toBase64()}`;
}

/** The demo page's answer and the attributes of its only script. */
async function demo(service: TestService) {
  const answer = await service.fetch("/demo");
  const scripts = [...(await answer.text()).matchAll(/<script\b([^>]*)>([^<]*)/g)];
  assertEquals(scripts.length, 1);
  assertEquals(scripts[0]![2], "");
  const attributes = [...scripts[0]![1]!.matchAll(/([\w-]+)(?:="([^"]*)")?/g)];
  const tag = Object.fromEntries(
    attributes.map(([, name, value]) => [name!, value ?? ""]),
  );
  return { answer, tag };
}
