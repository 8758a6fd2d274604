/** Tools of the reference server, and tokens of an authorization server that others wrote. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { EgressServer } from "./support/egress_server.ts";
import { Dashboard, requireText, SETUP_TOKEN } from "./support/dashboard.ts";
import { EverythingServer } from "./support/everything_server.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { OidcServer } from "./support/oidc_server.ts";
import { rawMcp } from "./support/raw_mcp.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";
import { noAbort, toolsetOf } from "./support/toolsets.ts";

const TOOL = {
  type: "mcp",
  name: "everything",
  url: "https://tools.example.com/mcp",
  resources: true,
};

/** A toolset on the reference server; the visitor agrees to everything. */
function open() {
  const everything = new EverythingServer();
  const server = new EgressServer((seen) => everything.answer(seen));
  const asked: string[] = [];
  const toolset = toolsetOf(server, [TOOL], {
    askVisitor: (message) => {
      asked.push(message);
      return Promise.resolve(true);
    },
  });
  const use = async (name: string, args: Record<string, unknown> = {}) =>
    JSON.stringify(await toolset.execute(name, args, noAbort()));
  return {
    ...{ everything, toolset, use, asked },
    [Symbol.asyncDispose]: async () => {
      await toolset.close();
      await server[Symbol.asyncDispose]();
      await everything[Symbol.asyncDispose]();
    },
  };
}

Deno.test("the reference server: tools are called, resources are read, and what is not a yes or no is declined", async () => {
  await using all = open();
  const { use, toolset, asked } = all;
  const names = (await toolset.listTools(noAbort())).map(({ name }) => name);
  for (
    const name of ["echo", "get-sum", "everything_read_resource", "trigger-elicitation-request"]
  ) {
    assert(names.includes(name), `${name} among ${names}`);
  }
  assertEquals(await use("get-sum", { a: 2, b: 3 }), '{"content":"The sum of 2 and 3 is 5."}');
  assertMatch(await use("get-structured-content", { location: "Chicago" }), /"temperature":\d/);
  assertMatch(await use("get-tiny-image"), /\(image, image\/png, \d+ characters of base64\)/);
  const listed = await use("everything_list_resources");
  assertStringIncludes(listed, "demo://resource/dynamic/text/{resourceId}");
  const uri = "demo://resource/dynamic/text/1";
  assertStringIncludes(await use("everything_read_resource", { uri }), "Resource 1");
  assertMatch(await use("trigger-elicitation-request"), /declin/i);
  assertEquals(asked, []);
  assertEquals(toolset.notes, []);
});

Deno.test("the reference server: after its restart a call is repeated in a new session", async () => {
  await using all = open();
  const { use, everything } = all;
  assertEquals(await use("echo", { message: "a" }), '{"content":"Echo: a"}');
  await everything.restart();
  assertEquals(await use("echo", { message: "b" }), '{"content":"Echo: b"}');
});

Deno.test("oidc-provider: registration, PKCE, resource, rotation and revocation work with it", async () => {
  let now = Date.now();
  const tokens = new Set<string>();
  const answering: { answer?: (request: Request) => Promise<Response> } = {};
  const listening = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  await using mcp = Deno.serve(listening, (request) => answering.answer!(request));
  const origin = `http://127.0.0.1:${mcp.addr.port}`;
  const url = `${origin}/mcp`;
  await using provider = await OidcServer.start(url);
  const inner = rawMcp();
  answering.answer = async (request) => {
    const { method, headers } = request;
    const body = await request.text();
    if (request.url.includes("/.well-known/")) {
      const scopes_supported = ["tools"];
      return Response.json({
        resource: url,
        authorization_servers: [provider.issuer],
        scopes_supported,
      });
    }
    const token = headers.get("authorization")?.slice("Bearer ".length);
    if (await provider.isValid(token, url)) {
      tokens.add(token!);
      return await inner({ method, url: request.url, headers, body });
    }
    return new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
  };
  const env = { SETUP_TOKEN, DEMO: "off" };
  const hosts = [new URL(url).host, new URL(provider.issuer).host];
  await using service = await TestService.start({
    env: { ...env, EGRESS_ALLOW: hosts.join() },
    runtime: { now: () => now },
  });
  const owner = await Dashboard.setUp(service);
  const page = `/settings/mcp?${new URLSearchParams({ url })}`;
  const asked = await owner.post(page, { action: "check", grantType: "authorization_code" });
  const id = /name="id" value="([^"]+)"/.exec(await requireText(asked, /<form[^]*<\/form>/))![1]!;
  const confirmed = await owner.post(page, { action: "confirm", id });
  const back = new URL(await provider.authorize(confirmed.headers.get("location")!));
  const connected = await owner.get(back.pathname + back.search);
  assertMatch(connected.headers.get("location")!, /notice=mcp_connected/);
  const key = await service.key();
  const tools = [{ type: "mcp", name: "crm", url }];
  const agent = await service.agent(key, { tools, allowedDomains: [new URL(url).host] });
  const use = async () => {
    const body = { agentId: agent.id, messages: [say("use ask with {}")] };
    return JSON.stringify(
      onlyFrame(await readFrames(await byKey(service, { key, body })), "tool_result").output,
    );
  };
  assertEquals(await use(), '{"content":"fine"}');
  // Renewed twice: the second time with the rotated refresh token.
  for (const hours of [1, 2]) {
    now += hours * 3_600_000;
    assertEquals(await use(), '{"content":"fine"}');
  }
  assertEquals(tokens.size, 3);
  await service.service.mcpAuthorizations.disconnect(await service.tenant(), url);
  for (const token of tokens) assertEquals(await provider.isValid(token, url), false);
  assertStringIncludes(await use(), "tool_unknown");
});
