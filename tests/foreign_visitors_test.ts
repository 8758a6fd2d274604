/** Whatever is a visitor's is a 404 for every credential that is not theirs: a walk over all pairs. */
import { assert, assertEquals, assertFalse } from "@std/assert";
import { ERROR_STATUS } from "@/lib/schemas/error_codes.ts";
import { expectJson } from "./support/expect_response.ts";
import { PUBLIC_ROUTES } from "./support/public_routes.ts";
import {
  ACCESS_ROUTES,
  type AccessRoute,
  COLLECTIONS,
  UNRELATED,
} from "./support/visitor_access/access_routes.ts";
import {
  type Credential,
  type Expected,
  expectedAccess,
  type Resource,
} from "./support/visitor_access/access_rules.ts";
import { type AccessWorld, openAccessWorld } from "./support/visitor_access/access_world.ts";

interface Cell {
  route: AccessRoute;
  credential: Credential;
  resource: Resource;
  expected: Expected;
}

function cellsOf({ credentials, resources }: AccessWorld): Cell[] {
  return ACCESS_ROUTES.flatMap((route) =>
    resources[route.of].flatMap((resource) =>
      credentials.map((credential) => {
        const expected = expectedAccess(route.kind, { credential, resource });
        return { route, credential, resource, expected };
      })
    )
  );
}

function nameOf({ route, credential, resource }: Cell): string {
  return `${route.method} ${route.file}: ${resource.name}, with ${credential.name}`;
}

function ask(
  { service, agent }: AccessWorld,
  { route, credential, id }: { route: AccessRoute; credential: Credential; id: string },
): Promise<Response> {
  const agentId = credential.kind === "session" ? credential.agentId : agent.id;
  const { path, json } = route.call(id, { agentId, credential });
  const { method } = route;
  const { headers } = credential;
  return service.fetch(path, { method, headers, ...json !== undefined && { json } });
}

/** What a client sees of an answer: not its own id, and not the times and ids of a new record. */
async function shapeOf(answer: Response): Promise<string> {
  const text = await answer.text();
  const headers = [...answer.headers.keys()].sort();
  const type = answer.headers.get("content-type");
  const stable = text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
  return JSON.stringify([answer.status, type, headers, stable]);
}

const UNKNOWN_ID: Record<AccessRoute["of"], () => string> = {
  conversation: () => crypto.randomUUID(),
  run: () => crypto.randomUUID(),
  decision: () => `${crypto.randomUUID()}/calls/2`,
  output: () => `${crypto.randomUUID()}/calls/2`,
  attachment: () => crypto.randomUUID(),
  fact: () => crypto.randomUUID(),
  unanswered: () => crypto.randomUUID(),
  erasure: () => crypto.randomUUID(),
  visitor: () => `nobody-${crypto.randomUUID()}`,
  session: () => `cs_${"a".repeat(64)}`,
};

/** What is wrong with one cell that must not be served; none if it is as the rules say. */
async function mismatchesOf(world: AccessWorld, cell: Cell): Promise<string[]> {
  const { route, credential, resource, expected } = cell;
  const answer = await ask(world, { route, credential, id: resource.id });
  if (expected !== "unknown") {
    const body = await answer.json().catch(() => ({}));
    const { code } = body.error ?? body;
    const isAsExpected = code === expected && answer.status === ERROR_STATUS[code as never];
    return isAsExpected ? [] : [`${nameOf(cell)}: ${answer.status} ${code}, not ${expected}`];
  }
  const id = UNKNOWN_ID[route.of]();
  const [seen, unknown] = [
    await shapeOf(answer),
    await shapeOf(await ask(world, { route, credential, id })),
  ];
  return seen === unknown ? [] : [`${nameOf(cell)}: ${seen}, but unknown is ${unknown}`];
}

/** What its owner sees, to notice any change. */
async function stateOf({ service, key, a, resources }: AccessWorld) {
  const [conversation] = resources.conversation;
  const [run, , running] = resources.run;
  const read = async (path: string, headers: Record<string, string>) =>
    await expectJson(await service.fetch(path, { headers }), 200);
  const bearer = { authorization: `Bearer ${key}` };
  const { updatedAt: _at, ...handoff } = await read(
    `/v1/chat/conversations/${conversation!.id}/handoff`,
    a.headers,
  );
  return [
    await read(`/v1/chat/conversations/${conversation!.id}`, a.headers),
    await read(`/v1/conversations/${conversation!.id}?visitorId=ada`, bearer),
    await read(`/v1/chat/runs/${run!.id}/feedback`, a.headers),
    (await read("/v1/chat/conversations", a.headers)).data.length,
    await read("/v1/chat/memory", a.headers),
    (await service.service.runs.find(await service.tenant(), running!.id)).state,
    handoff,
  ];
}

Deno.test("every route under /v1 is in the walk, or is known to lead to nothing of a visitor", () => {
  const walked = ACCESS_ROUTES.map(({ method, file }) => `${method} ${file}`);
  const listed = PUBLIC_ROUTES.filter(({ file }) => file.startsWith("v1/"))
    .map(({ method, file }) => `${method} ${file}`);
  assertEquals(
    [...new Set([...walked, ...COLLECTIONS, ...UNRELATED])].sort(),
    [...new Set(listed)].sort(),
  );
  assertFalse(walked.some((route) => UNRELATED.includes(route)));
});

Deno.test("what is a visitor's is answered like an unknown id, for everyone else, and served to its owner", async (t) => {
  await using world = await openAccessWorld();
  const cells = cellsOf(world);
  const theirs = cells.filter(({ expected }) => expected === "theirs");
  const others = cells.filter(({ expected }) => expected !== "theirs");
  assert(theirs.length > 100 && others.length > 600, `${theirs.length}, ${others.length}`);

  await t.step("nobody else is served, and nothing changes by asking", async () => {
    const before = await stateOf(world);
    const mismatches: string[] = [];
    for (const cell of others) mismatches.push(...await mismatchesOf(world, cell));
    assertEquals(mismatches, []);
    assertEquals(await stateOf(world), before);
  });

  await t.step("lists and limits have only what is the caller's", async () => {
    await checkCollections(world);
  });

  await t.step("its owner is served", async () => {
    const mismatches: string[] = [];
    const deleted = new Set<string>();
    const isLast = ({ route }: Cell) => Number(route.deletes ?? false);
    for (const cell of theirs.toSorted((x, y) => isLast(x) - isLast(y))) {
      const { route, credential, resource } = cell;
      const of = `${route.file} ${resource.id}`;
      if (route.deletes && deleted.has(of)) continue;
      deleted.add(of);
      const answer = await ask(world, { route, credential, id: resource.id });
      await answer.body?.cancel();
      if ([401, 403].includes(answer.status) || answer.status >= 500) {
        mismatches.push(`${nameOf(cell)}: ${answer.status}`);
      } else if (answer.status === 404 && !isMissing(cell)) mismatches.push(`${nameOf(cell)}: 404`);
    }
    assertEquals(mismatches, []);
  });
  for (const stream of world.streams) await stream[Symbol.asyncDispose]();
});

/** Feedback that nobody has given, and a title before the first answer has ended, are 404 as well. */
function isMissing({ route: { method, file }, resource: { name } }: Cell): boolean {
  if (method === "GET" && file.endsWith("feedback.ts")) return name !== "a run of A";
  return method === "PATCH" && name === "a conversation of A that is answered first";
}

async function checkCollections({ service, credentials, resources }: AccessWorld) {
  const limits = { messages: 100, per: "day" };
  const set = await service.fetch("/v1/visitors/ada/limits", {
    ...{ method: "PUT", key: await service.key(["widget:mint"]), json: limits },
  });
  await expectJson(set, 200);
  const own = resources.conversation[0]!;
  const read = async (path: string, { headers }: Credential) => {
    const answer = await service.fetch(path, { headers });
    const body = await answer.json();
    return answer.status === 200 ? body : body.code;
  };
  for (const credential of credentials) {
    const isSession = credential.kind === "session" && credential.state === "live";
    const isAda = isSession && credential.visitor === "ada";
    const lists = await read("/v1/chat/conversations", credential);
    const ids = lists.data?.map(({ id }: { id: string }) => id) ?? lists;
    const expected = expectedAccess("own conversation", { credential, resource: own });
    const isListed = isAda && expected === "theirs";
    const shown = isSession ? isListed : "session_token_invalid";
    assertEquals(Array.isArray(ids) ? ids.includes(own.id) : ids, shown, credential.name);
    const facts = await read("/v1/chat/memory", credential);
    const [fact] = resources.fact;
    assertEquals(
      facts.facts?.length ?? facts,
      isSession
        ? Number(expectedAccess("memory", { credential, resource: fact! }) === "theirs")
        : "session_token_invalid",
      credential.name,
    );
    const left = await read("/v1/chat/limits", credential);
    assertEquals(
      typeof left === "string" ? left : "messages" in left,
      isSession ? isAda : "session_token_invalid",
      credential.name,
    );
    const all = await read("/v1/conversations", credential);
    const allIds = all.data?.map(({ id }: { id: string }) => id) ?? all;
    const isReader = credential.kind === "key" && credential.may === "read";
    const forKey = credential.kind !== "key"
      ? "invalid_api_key"
      : credential.may === "chat"
      ? "insufficient_scope"
      : isReader;
    assertEquals(Array.isArray(allIds) ? allIds.includes(own.id) : allIds, forKey, credential.name);
  }
}
