/** The backends in examples/, each started for real and called by visitors. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  BACKEND_EXAMPLES,
  type BackendExample,
  RunningExample,
} from "./support/backend_example.ts";
import { canReachNpm } from "./support/npm_project.ts";
import { canInstallPython } from "./support/python_project.ts";
import { TestService } from "./support/service.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const SITE = "https://shop.example.com";
const isReachable = {
  npm: await canReachNpm("express@5.3.0"),
  pip: await canInstallPython("Django==5.2.19"),
};

async function open(example: BackendExample) {
  const service = await TestService.start();
  const { id } = await service.agent(await service.key(), { allowedOrigins: [SITE] });
  const tenant = await service.tenant();
  const key = await service.service.apiKeys.create(tenant, {
    name: "site",
    scopes: ["widget:mint"],
  });
  const running = await RunningExample.start(example, {
    CHAT_URL: service.url,
    CHAT_AGENT_ID: id,
    CHAT_API_KEY: key.secret,
    SITE_ORIGIN: SITE,
    TRUSTED_PROXY_HOPS: "1",
  });
  const revoke = () => service.service.apiKeys.revoke(tenant, key.apiKey.id);
  return { service, running, secret: key.secret, revoke };
}

/** Each visitor has an address of its own, so that their limits do not meet. */
function visitor(n: number, more: Record<string, string> = {}): Record<string, string> {
  return { "x-forwarded-for": `192.0.2.${n}`, ...more };
}

async function answer(sent: Promise<Response>) {
  const response = await sent;
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

async function mints(running: RunningExample, secret: string): Promise<void> {
  for (const origin of [SITE, undefined]) {
    const headers = visitor(1, origin === undefined ? {} : { origin });
    const { status, headers: sent, body, text } = await answer(running.post(headers));
    assertEquals(status, 201, text);
    assertMatch(body.sessionToken, /^cs_/);
    assertMatch(sent.get("content-type")!, /^application\/json/);
    assertEquals([sent.get("cache-control"), text.includes(secret)], ["no-store", false]);
  }
  const foreign = await answer(running.post(visitor(2, { origin: "https://elsewhere.example" })));
  assertEquals([foreign.status, foreign.body.code], [403, "origin_not_allowed"]);
  for (const method of ["GET", "DELETE"]) {
    const rejected = await fetch(`${running.url}/chat-session`, { method });
    await rejected.body?.cancel();
    assertEquals(rejected.status, 405, method);
  }
}

async function limits(running: RunningExample): Promise<void> {
  for (let n = 0; n < 10; n++) {
    // What stands to the left of the proxy's entry was written by the caller.
    const forged = { "x-forwarded-for": `198.51.100.${n}, 192.0.2.3`, origin: SITE };
    assertEquals((await answer(running.post(forged))).status, 201);
  }
  const { status, headers, body } = await answer(running.post(visitor(3, { origin: SITE })));
  assertEquals([status, body.code, body.http], [429, "rate_limit_exceeded", 429]);
  const wait = Number(headers.get("retry-after"));
  assert(wait >= 1 && wait <= 60, `${wait}`);
  assertEquals((await answer(running.post(visitor(4, { origin: SITE })))).status, 201);
}

for (const example of BACKEND_EXAMPLES) {
  Deno.test({
    name:
      `examples/${example.folder}: mints for its own site, limits each visitor, passes errors on`,
    ignore: example.needs !== undefined && !isReachable[example.needs],
    async fn() {
      const { service, running, secret, revoke } = await open(example);
      await using _service = service;
      await using _running = running;
      await mints(running, secret);
      await limits(running);
      await revoke();
      const revoked = await answer(running.post(visitor(5, { origin: SITE })));
      assertEquals([revoked.status, revoked.body.code], [401, "invalid_api_key"]);
      await service.crash();
      const down = await answer(running.post(visitor(6, { origin: SITE })));
      assertEquals([down.status, down.body], [502, {}]);
      const printed = await running.stop();
      assertStringIncludes(printed, "the service answered 401");
      assertEquals(printed.includes(secret), false);
    },
  });
}

Deno.test("examples/fresh: without trusted proxies, X-Forwarded-For does not get around the limit", async () => {
  const service = await TestService.start();
  await using _ = service;
  const env = { CHAT_URL: service.url, CHAT_AGENT_ID: crypto.randomUUID(), CHAT_API_KEY: "ck_x" };
  const fresh = BACKEND_EXAMPLES.find(({ folder }) => folder === "fresh")!;
  await using running = await RunningExample.start(fresh, { ...env, SITE_ORIGIN: SITE });
  const statuses: number[] = [];
  for (let n = 0; n < 12; n++) statuses.push((await answer(running.post(visitor(n)))).status);
  assertEquals(statuses, [...Array(10).fill(401), 429, 429]);
});

Deno.test("examples: the Python backends have the same chat_session.py, and pin their packages", async () => {
  const read = (path: string) => Deno.readTextFile(`${ROOT}examples/${path}`);
  assertEquals(await read("django/chat_session.py"), await read("fastapi/chat_session.py"));
  for (const folder of ["django", "fastapi"]) {
    const lines = (await read(`${folder}/requirements.txt`)).trim().split("\n");
    for (const line of lines) assertMatch(line, /^[\w-]+==\d+(\.\d+)+$/);
  }
});

Deno.test("examples: every other backend has the same chat-session.js, and pins its packages", async () => {
  const read = (path: string) => Deno.readTextFile(`${ROOT}examples/${path}`);
  const [first] = BACKEND_EXAMPLES;
  for (const { folder, needs } of BACKEND_EXAMPLES.filter(({ needs }) => needs !== "pip")) {
    assertEquals(
      await read(`${folder}/chat-session.js`),
      await read(`${first!.folder}/chat-session.js`),
    );
    if (needs === undefined) continue;
    const { dependencies } = JSON.parse(await read(`${folder}/package.json`));
    for (const version of Object.values(dependencies)) {
      assertMatch(version as string, /^\d+\.\d+\.\d+$/);
    }
  }
  assertMatch(JSON.parse(await read("fresh/deno.json")).imports.fresh, /@\d+\.\d+\.\d+$/);
});
