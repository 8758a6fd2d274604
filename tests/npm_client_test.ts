/** `@agent-chat/client` as its users have it: packed, installed into an empty project, and run by Node. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { gzipSync } from "node:zlib";
import manifest from "@/deno.json" with { type: "json" };
import client from "@/packages/client/package.json" with { type: "json" };
import { expectUnproven } from "./support/bound_session.ts";
import { startBufferingProxy } from "./support/buffering_proxy.ts";
import { mustRun, NpmProject, OWN_FILES_ONLY, readmeExamples } from "./support/npm_project.ts";
import { HANDOFF, Visitor } from "./support/handoffs.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { TestService } from "./support/service.ts";
import { embed, ORIGIN } from "./support/widget_calls.ts";

const KB = 1000;
const FIXTURES = new URL("./fixtures/npm/", import.meta.url).pathname;

async function installed(): Promise<NpmProject> {
  const project = await NpmProject.create();
  await project.installOwn("client");
  return project;
}

/** Runs a module with the service's values, and returns the JSON that it prints. */
async function run(project: NpmProject, code: string, env: Record<string, string>) {
  await project.write("run.js", code);
  return JSON.parse(await mustRun(project.folder, { program: "node", args: ["run.js"], env }));
}

const OPTIONS = `
import { chat, ChatError, sessionTokens } from "@agent-chat/client";
const { API, AGENT, TOKEN, ENDPOINT } = process.env;
const options = { apiBase: API, agentId: AGENT, sessionToken: TOKEN,
  messages: [{ role: "user", content: "Hello?" }] };
`;

/** A site's backend that mints at the service, as the documented ones do. */
function startBackend(mint: () => Promise<Response>) {
  let calls = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    calls++;
    return request.method === "POST" ? mint() : new Response(null, { status: 405 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/chat-session`,
    calls: () => calls,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("@agent-chat/client: one module of at most 6 KB (gzip) without imports, with its license", async () => {
  await using project = await installed();
  const folder = `${project.folder}/node_modules/@agent-chat/client`;
  const code = await Deno.readFile(`${folder}/dist/mod.js`);
  assert(gzipSync(code).length <= 6 * KB, "gzip");
  assertEquals(/^import |\bimport\(/m.test(new TextDecoder().decode(code)), false);
  const files = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  assertEquals(files, ["LICENSE", "README.md", "dist", "package.json"]);
  assertEquals("dependencies" in client, false);
  assertEquals(client.version, manifest.version);
});

Deno.test("@agent-chat/client: the README's example chats in Node with tokens of a backend", async () => {
  await using service = await TestService.start();
  const { key, agent } = await embed(service);
  const mint = () =>
    service.fetch("/v1/widget/session", {
      method: "POST",
      key,
      json: { agentId: agent.id },
      headers: { origin: ORIGIN },
    });
  await using backend = startBackend(mint);
  await using project = await installed();
  const example = (await readmeExamples("client", "js"))[0]!
    .replace(/https:\/\/shop\S+chat-session/, backend.url)
    .replace("https://chat.example.com", service.url)
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, agent.id);
  await project.write("example.js", example);
  const printed = await mustRun(project.folder, { program: "node", args: ["example.js"] });
  assertStringIncludes(printed, "You asked: “Where is my order?”");
  assertEquals(backend.calls(), 1);
});

Deno.test("@agent-chat/client: in Node, resumes at a position, and stops a run on the service", async () => {
  const { runtime } = pausableRuntime();
  await using service = await TestService.start({ runtime });
  const { agent, sessionToken } = await embed(service);
  await using project = await installed();
  const env = { API: service.url, AGENT: agent.id, TOKEN: sessionToken };
  const code = `${OPTIONS}
const first = chat(options);
let text = "";
for await (const frame of first) {
  if (frame.type === "delta") { text += frame.text; first.close(); }
}
const rest = chat({ ...options, after: first.position, idempotencyKey: first.idempotencyKey,
  onLink: (up) => up && rest.stop() });
const types = [];
let reason;
for await (const frame of rest) {
  types.push(frame.type);
  reason = frame.finishReason;
}
console.log(JSON.stringify({ text, types, reason, left: rest.messagesLeft ?? first.messagesLeft }));`;
  assertEquals(await run(project, code, env), {
    text: "Hello! ",
    types: ["usage", "done"],
    reason: "cancelled",
    left: 49,
  });
});

/** The client waits 7 s for the first byte of a stream. */
const IMPATIENT = `
const start = globalThis.setTimeout;
globalThis.setTimeout = (wake, ms, ...rest) => start(wake, ms === 7_000 ? 350 : ms, ...rest);
`;

Deno.test("@agent-chat/client: behind a proxy that buffers streams, Node reads an answer while it is written", async () => {
  const held = pausableRuntime();
  await using service = await TestService.start({ runtime: held.runtime });
  const { agent, sessionToken } = await embed(service);
  const asked: string[] = [];
  await using proxy = startBufferingProxy(service.url, (path, request) => {
    asked.push(`${request.method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, ":id")}`);
    // The model goes on once the client has read the beginning by a poll.
    if (request.headers.get("last-event-id") !== null) held.release();
  });
  // A paused answer would keep the proxy from closing.
  using _ = { [Symbol.dispose]: held.release };
  await using project = await installed();
  const code = `${IMPATIENT}${OPTIONS}
const texts = [];
for (let asked = 0; asked < 2; asked++) {
  let text = "";
  for await (const frame of chat(options)) if (frame.type === "delta") text += frame.text;
  texts.push(text);
}
console.log(JSON.stringify(texts));`;
  const env = { API: proxy.url, AGENT: agent.id, TOKEN: sessionToken };
  const texts = await run(project, code, env);
  for (const text of texts) assertStringIncludes(text, "You asked: “Hello?”");
  const poll = "GET /v1/chat/runs/:id/stream?wait=25";
  assertEquals(asked.slice(0, 3), [
    "POST /v1/chat/stream",
    "POST /v1/chat/stream?wait=25",
    poll,
  ]);
  const messages = asked.slice(3).filter((one) => one !== poll);
  assertEquals(messages, ["POST /v1/chat/stream?wait=25"]);
  const reader = await service.key(["billing:read"]);
  const usage = await (await service.fetch("/v1/usage", { key: reader })).json();
  assertEquals([usage.messages, usage.runs], [2, 2]);
});

Deno.test("@agent-chat/client: a rejected token is replaced once, and a backend's error keeps its status", async () => {
  await using service = await TestService.start();
  const { key, agent } = await embed(service);
  const tokens = ["cs_nobody_ever_minted_this", await service.mint(key, agent.id, ORIGIN)];
  const mint = () => {
    const sessionToken = tokens.shift();
    if (sessionToken) return Promise.resolve(Response.json({ sessionToken }, { status: 201 }));
    const headers = { "retry-after": "7" };
    const body = { code: "rate_limit_exceeded", details: { scope: "ip" } };
    return Promise.resolve(Response.json(body, { status: 429, headers }));
  };
  await using backend = startBackend(mint);
  await using project = await installed();
  const code = `${OPTIONS}
const sessionToken = sessionTokens(ENDPOINT);
let reason;
for await (const frame of chat({ ...options, sessionToken })) reason = frame.finishReason;
const errors = [];
for (const endpoint of [ENDPOINT, "http://127.0.0.1:1/"]) {
  try {
    for await (const _ of chat({ ...options, sessionToken: sessionTokens(endpoint) }));
  } catch (error) {
    const { code, status, scope, retryAfter } = error;
    errors.push([error instanceof ChatError, code, status, scope, retryAfter]);
  }
}
console.log(JSON.stringify({ reason, errors }));`;
  const env = { API: service.url, AGENT: agent.id, ENDPOINT: backend.url };
  assertEquals(await run(project, code, env), {
    reason: "stop",
    errors: [[true, "rate_limit_exceeded", 429, "ip", 7], [true, "network_error", 0, null, null]],
  });
  assertEquals(backend.calls(), 3);
});

Deno.test("@agent-chat/client: its types check under strict, for bundlers and for Node, and reject misuse", async () => {
  await using project = await installed();
  await Deno.copyFile(`${FIXTURES}client_types.ts`, `${project.folder}/use.ts`);
  const bundler = ["--module", "esnext", "--moduleResolution", "bundler"];
  for (const kind of [bundler, ["--module", "nodenext"]]) {
    assertEquals(
      await project.typeErrors(["use.ts"], ["--exactOptionalPropertyTypes", ...kind]),
      "",
      kind.join(" "),
    );
  }
  await project.write("wrong.ts", `import { chat } from "@agent-chat/client"; chat(1);`);
  const misuse = await project.typeErrors(["wrong.ts"], ["--module", "nodenext", OWN_FILES_ONLY]);
  assertStringIncludes(misuse, "TS2345");
});

Deno.test("@agent-chat/client/handoff: asks for a person, follows the feed and leaves contact details", async () => {
  await using service = await TestService.start();
  const { agent, sessionToken } = await embed(service, { handoff: HANDOFF });
  const visitor = new Visitor(service, { agent, sessionToken });
  await visitor.say("Hi");
  await using project = await installed();
  const code = `
import { handoff } from "@agent-chat/client/handoff";
import { ChatError } from "@agent-chat/client";
const { API, CONVERSATION, TOKEN } = process.env;
let asked = 0;
const sessionToken = (rejected) => rejected === "" ? "cs_wrong_token_of_a_page" : (asked++, TOKEN);
const person = handoff({ apiBase: API + "/", conversationId: CONVERSATION, sessionToken });
const refused = await person.leaveContact({ email: "jo@example.com", message: "x" }).catch((e) => e);
await person.request();
await person.sendTyping();
const events = [];
for await (const event of person.events()) {
  events.push(event.type === "state" ? event.state : event.text);
  if (event.type === "state" && event.state === "waiting") {
    await fetch(process.env.PERSON, { method: "POST" });
  }
}
const { state } = await person.status();
console.log(JSON.stringify({ events, state, asked,
  refused: [refused instanceof ChatError, refused.status, refused.code] }));
`;
  // What a person does in the dashboard.
  const { handoffs } = service.service;
  const person = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async () => {
    const { name } = (await handoffs.locate(await service.tenant(), visitor.id, {}))!;
    await handoffs.act(name, { type: "take", person: { id: "anna", name: "Anna" } });
    await handoffs.act(name, { type: "say", userId: "anna", text: "Hello, Anna here." });
    await handoffs.act(name, { type: "close" });
    return new Response(null, { status: 204 });
  });
  const result = await run(project, code, {
    ...{ API: service.url, CONVERSATION: visitor.id, TOKEN: sessionToken },
    PERSON: `http://127.0.0.1:${person.addr.port}/`,
  });
  await person.shutdown();
  assertEquals(result, {
    events: ["waiting", "taken", "Hello, Anna here.", "closed"],
    ...{ state: "closed", asked: 1, refused: [true, 409, "handoff_conflict"] },
  });
});

Deno.test("@agent-chat/client/bind: the README's example chats in Node, and its token is worthless elsewhere", async () => {
  await using service = await TestService.start();
  const { key, agent } = await embed(service);
  const minted: string[] = [];
  await using backend = startBackend(async () => {
    const headers = { origin: ORIGIN };
    const json = { agentId: agent.id, bind: true };
    const init = { method: "POST", key, json, headers };
    const session = await (await service.fetch("/v1/widget/session", init)).json();
    minted.push(session.sessionToken);
    return Response.json(session);
  });
  await using project = await installed();
  const example = (await readmeExamples("client", "js"))[1]!
    .replace(/https:\/\/shop\S+chat-session/, backend.url)
    .replace("https://chat.example.com", service.url)
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, agent.id);
  await project.write("example.js", example);
  const printed = await mustRun(project.folder, { program: "node", args: ["example.js"] });
  assertStringIncludes(printed.replaceAll("\n", ""), "Where is my order?");
  assertEquals(minted.length, 1);
  const headers = { origin: ORIGIN, "x-service-session": minted[0]! };
  await expectUnproven(await service.fetch("/v1/chat/limits", { headers }));
});
