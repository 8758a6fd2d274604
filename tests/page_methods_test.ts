/** Methods, HEAD and conditional requests outside /v1, and rules shared with /v1. */
import { assert, assertEquals } from "@std/assert";
import { allowHeader, pageMethodsOf } from "@/lib/http/page_methods.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { expectError } from "./support/expect_response.ts";
import { PUBLIC_ROUTES } from "./support/public_routes.ts";
import { addressOf, patternOf, routeFiles } from "./support/route_files.ts";
import { sendRaw } from "./support/send_raw.ts";
import { TestService } from "./support/service.ts";

const PAGES = routeFiles().filter((file) => !file.startsWith("v1/"));
const FILES = ["/favicon.svg", "/docs.css", "/dashboard/base.css"];

/** The methods of a route file: those of its handler, and GET if it has a page. */
async function methodsOf(file: string): Promise<string[]> {
  const { handler = {}, default: component } = await import(
    new URL(`../routes/${file}`, import.meta.url).href
  );
  const methods = new Set(Object.keys(handler));
  if (component !== undefined) methods.add("GET");
  return [...methods].sort();
}

Deno.test("outside /v1 every route accepts exactly its listed methods", async () => {
  for (const file of PAGES) {
    const listed = pageMethodsOf(patternOf(file));
    assertEquals(
      [...listed].sort(),
      await methodsOf(file),
      `${file}: see lib/http/page_methods.ts`,
    );
  }
});

Deno.test("outside /v1 an unsupported method is 405 with the route's own Allow", async () => {
  await using service = await TestService.start();
  const { hash12 } = service.service.widget;
  const addresses = PAGES.map((file) => ({
    path: addressOf(file, file.endsWith(".js.ts") ? { hash: hash12 } : {}),
    methods: pageMethodsOf(patternOf(file)),
  }));
  for (const path of FILES) addresses.push({ path, methods: ["GET"] });
  for (const { path, methods } of addresses) {
    const wrong = ["PUT", "OPTIONS", "TRACE", "DELETE", "PATCH", "PROPFIND"];
    if (!methods.includes("GET")) wrong.push("GET", "HEAD");
    if (!methods.includes("POST")) wrong.push("POST");
    await Promise.all(wrong.map(async (method) => {
      const { status, headers } = await sendRaw(
        service.url,
        `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`,
      );
      assertEquals(
        [status, headers.get("allow")],
        ["HTTP/1.1 405 Method Not Allowed", allowHeader(methods)],
        `${method} ${path}`,
      );
    }));
  }
});

Deno.test("outside /v1 an unknown path is 404 for every method", async () => {
  await using service = await TestService.start();
  for (const method of ["GET", "HEAD", "POST", "PUT", "OPTIONS", "TRACE", "DELETE"]) {
    const answer = await sendRaw(service.url, `${method} /nothing HTTP/1.1\r\nHost: x\r\n\r\n`);
    assertEquals([answer.status, answer.headers.has("allow")], ["HTTP/1.1 404 Not Found", false]);
  }
});

Deno.test("HEAD has the same status and content-length as GET on public routes, files and pages", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const { cookie } = await Dashboard.setUp(service);
  const { hash12 } = service.service.client;
  const paths = [
    ...PUBLIC_ROUTES.filter(({ method }) => method === "GET").map(({ path }) => path),
    ...[...FILES, `/client.v1.${hash12}.js`, "/nothing", "/sign-in", "/home", "/agents", "/usage"],
  ];
  for (const path of paths) {
    const headers = { cookie, "accept-encoding": "identity" };
    const ask = (method: string) => service.fetch(path, { method, headers });
    const [get, head] = [await ask("GET"), await ask("HEAD")];
    const { byteLength } = await get.bytes();
    assertEquals(await head.text(), "");
    const length = head.headers.get("content-length");
    assertEquals([head.status, length], [get.status, String(byteLength)], path);
    assertEquals(head.headers.get("content-type"), get.headers.get("content-type"), path);
  }
});

Deno.test("If-None-Match: * is a 304 wherever an ETag is served", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const key = await service.key();
  const agent = `/v1/agents/${(await service.agent(key)).id}`;
  const dashboard = await Dashboard.setUp(service);
  const page = await (await dashboard.get("/agents/new")).text();
  const [built] = /\/_fresh\/js\/[\w./-]+\.js/.exec(page)!;
  const { hash12 } = service.service.widget;
  const scripts = ["/widget.v1.js", "/client.v1.js", `/widget.v1.${hash12}.js`];
  for (const path of [built, ...scripts, agent]) {
    const ask = async (tag?: string, method = "GET") => {
      const headers = tag === undefined ? {} : { "if-none-match": tag };
      const answer = await service.fetch(path, { key, method, headers });
      return { answer, text: await answer.text() };
    };
    const etag = (await ask()).answer.headers.get("etag");
    assert(etag !== null, path);
    for (const tag of ["*", etag, `"other", ${etag}`]) {
      const { answer, text } = await ask(tag);
      assertEquals([answer.status, text], [304, ""], path);
      // Fresh's own 304 omits the ETag.
      if (path !== built) assertEquals(answer.headers.get("etag"), etag, path);
      assertEquals((await ask(tag, "HEAD")).answer.status, 304, path);
    }
    assertEquals((await ask('"other"')).answer.status, 200, path);
  }
});

Deno.test("If-None-Match: * is a 304 even without an ETag, and any other tag is a 200", async () => {
  await using service = await TestService.start();
  for (const path of ["/v1/openapi.json", "/docs", "/widget.v1.json", "/client.v1.d.ts"]) {
    for (const method of ["GET", "HEAD"]) {
      const ask = (tag: string) =>
        service.fetch(path, { method, headers: { "if-none-match": tag } });
      const matched = await ask("*");
      assertEquals([matched.status, await matched.text()], [304, ""], `${method} ${path}`);
      assertEquals(await statusOf(ask('"other"')), 200, `${method} ${path}`);
    }
  }
  const missing = await service.fetch("/nothing-here", { headers: { "if-none-match": "*" } });
  assertEquals(await statusOf(Promise.resolve(missing)), 404);
});

Deno.test("If-None-Match: * does not end a live stream", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const { id: agentId } = await service.agent(key);
  const messages = [{ role: "user", content: "Hello" }];
  const json = { agentId, messages };
  const chat = await service.fetch("/v1/chat/stream", { method: "POST", key, json });
  const runId = chat.headers.get("x-run-id");
  await chat.text();
  const headers = { "if-none-match": "*" };
  const resumed = await service.fetch(`/v1/chat/runs/${runId}/stream`, { key, headers });
  assertEquals(resumed.status, 200);
  assert((await resumed.text()).includes("event: done"));
});

Deno.test("If-None-Match blocks a change to an existing agent; If-Match: * allows it", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const { id } = await service.agent(key);
  const change = (method: string, headers: Record<string, string>) =>
    service.fetch(`/v1/agents/${id}`, {
      method,
      key,
      headers,
      ...(method === "PATCH" && { json: { name: "Changed" } }),
    });
  for (const method of ["PATCH", "DELETE"]) {
    for (const tag of ["*", '"1"', '"9", W/"1"']) {
      await expectError(await change(method, { "if-none-match": tag }), "version_conflict");
    }
  }
  assertEquals(await statusOf(change("PATCH", { "if-none-match": '"9"' })), 200);
  assertEquals(await statusOf(change("PATCH", { "if-match": "*" })), 200);
  assertEquals(await statusOf(change("DELETE", { "if-match": "*" })), 204);
});

Deno.test("DELETE and cancel: a body over 1 MiB is 413, with or without a content-length", async () => {
  await using service = await TestService.start();
  const id = crypto.randomUUID();
  const base = `/v1/knowledge-bases/${id}`;
  const deleted = [`/v1/agents/${id}`, `/v1/conversations/${id}`, base, `${base}/documents/${id}`];
  const calls = [
    ...deleted.map((path) => ["DELETE", path] as const),
    ["DELETE", "/v1/widget/session"] as const,
    ["POST", `/v1/chat/runs/${id}/cancel`] as const,
  ];
  const large = new Uint8Array(1_048_577).fill(0x20);
  for (const [method, path] of calls) {
    const chunked = ReadableStream.from([large.subarray(0, 600_000), large.subarray(600_000)]);
    for (const body of [large, chunked]) {
      const headers = { "content-type": "application/json" };
      const answer = await service.fetch(path, { method, body, headers });
      await expectError(answer, "payload_too_large");
    }
    const small = await service.fetch(path, { method, body: large.subarray(0, 10) });
    assert(small.status !== 413, path);
    await small.body?.cancel();
  }
});

async function statusOf(response: Promise<Response>): Promise<number> {
  const answer = await response;
  await answer.body?.cancel();
  return answer.status;
}
