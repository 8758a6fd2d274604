/** Knowledge bases and documents: CONTRACT section 4. */
import { seeded } from "./support/flaky_kv.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { openKnowledge as start } from "./support/knowledge.ts";
import { agentBody } from "./support/service.ts";
import { storedKeys } from "./support/store.ts";

const TEXT = { title: "Returns", content: "You may return any book within 30 days." };

Deno.test("POST /v1/knowledge-bases: creates a base that can be read, changed, listed and deleted", async () => {
  await using fixture = await start();
  const { service, key, base, get, of, advance, create } = fixture;
  assertEquals(base, {
    id: base.id,
    name: "Shop",
    documentCount: 0,
    chunkCount: 0,
    version: 1,
    createdAt: "2026-01-15T12:00:00.000Z",
    updatedAt: "2026-01-15T12:00:00.000Z",
  });
  assertEquals(await expectJson(await get(), 200), base);
  advance(1_000);
  const patch = async (json: unknown) =>
    await expectJson(await service.fetch(of(), { method: "PATCH", key, json }), 200);
  const changed = {
    ...base,
    description: "All of it",
    version: 2,
    updatedAt: "2026-01-15T12:00:01.000Z",
  };
  assertEquals(await patch({ description: "All of it" }), changed);
  advance(1_000);
  assertEquals(await patch({ name: "Shop" }), changed);
  assertEquals((await patch({ description: "" })).description, undefined);
  const second = await create("Second");
  const list = await service.fetch("/v1/knowledge-bases", { key });
  const { data } = await expectJson(list, 200);
  assertEquals(data.map(({ id }: { id: string }) => id), [second.id, base.id]);
  const gone = await service.fetch(of(), { method: "DELETE", key });
  assertEquals([gone.status, await gone.text()], [204, ""]);
  await expectError(await get(), "not_found");
});

Deno.test("POST /v1/knowledge-bases: a base's language can be set, changed and removed", async () => {
  await using fixture = await start();
  const { service, key, of, post, settled } = fixture;
  const create = (json: unknown) =>
    service.fetch("/v1/knowledge-bases", { method: "POST", key, json });
  const { language } = await expectJson(await create({ name: "Handbuch", language: "de" }), 201);
  assertEquals(language, "de");
  await expectInvalid(await create({ name: "x", language: "german" }), ["language"]);
  await expectInvalid(await create({ name: "x", language: null }), ["language"]);
  const patch = (json: unknown) => service.fetch(of(), { method: "PATCH", key, json });
  assertEquals((await expectJson(await patch({ language: "sv" }), 200)).language, "sv");
  assertEquals((await expectJson(await patch({ name: "Shop" }), 200)).language, "sv");
  await expectInvalid(await patch({ language: "" }), ["language"]);
  assertEquals((await expectJson(await patch({ language: null }), 200)).language, undefined);
  // It applies from the next search on: a single word is not enough to detect Finnish.
  await settled(await post({ title: "1", content: "Hinnat" }));
  const search = async () => {
    const json = { query: "hinta" };
    const answer = await service.fetch(of("/search"), { method: "POST", key, json });
    return (await expectJson(answer, 200)).passages.length;
  };
  assertEquals(await search(), 0);
  await expectJson(await patch({ language: "fi" }), 200);
  assertEquals(await search(), 1);
});

Deno.test("POST …/search: finds short texts by other forms of their words, in several languages", async () => {
  await using fixture = await start();
  const { service, key, of, post, settled } = fixture;
  const examples = [
    ["Zeppelins fly over lakes.", "zeppelin"],
    ["Refunds take fourteen days.", "Can I get a refund?"],
    ["Returns are free.", "return"],
    ["Blue bicycles", "bicycle"],
    ["Rückgaben", "rückgabe"],
    ["Store in a cool, dry place", "storing"],
  ];
  for (const [content] of examples) {
    assertEquals((await settled(await post({ title: "Note", content }))).state, "ready");
  }
  for (const [text, query] of examples) {
    const answer = await service.fetch(of("/search"), { method: "POST", key, json: { query } });
    assertEquals((await expectJson(answer, 200)).passages[0]?.text, text, query);
  }
});

Deno.test("POST /v1/knowledge-bases: rejects invalid names", async () => {
  await using fixture = await start();
  const { service, key } = fixture;
  const post = (json: unknown) =>
    service.fetch("/v1/knowledge-bases", { method: "POST", key, json });
  await expectInvalid(await post({}), ["name"]);
  await expectInvalid(await post({ name: "" }), ["name"]);
  await expectInvalid(await post({ name: "x".repeat(129) }), ["name"]);
  await expectInvalid(await post({ name: "x", owner: "me" }), ["owner"]);
});

Deno.test("POST …/documents: a JSON document moves from processing to ready and is counted", async () => {
  await using fixture = await start();
  const { post, get, base, settled } = fixture;
  const answer = await post(TEXT);
  assertMatch(answer.headers.get("location") ?? "", new RegExp(`^/v1/.*/${base.id}/documents/.`));
  const { id, ...document } = await settled(answer);
  assertEquals(document, {
    title: "Returns",
    mediaType: "text/plain",
    bytes: 39,
    sha256: "75d5fd6ac51b4fd6219a453dcd54a15336cb88eecd34d430b3706e7f3e0b90bb",
    state: "ready",
    createdAt: "2026-01-15T12:00:00.000Z",
    updatedAt: "2026-01-15T12:00:00.000Z",
  });
  const { documentCount, chunkCount } = await expectJson(await get(), 200);
  assertEquals([documentCount, chunkCount], [1, 1]);
  const { data } = await expectJson(await get("/documents"), 200);
  assertEquals(data, [{ id, ...document }]);
});

Deno.test("POST …/documents: a file's title is its name, and its type is detected from its content", async () => {
  await using fixture = await start();
  const { upload, settled } = fixture;
  const markdown = await settled(await upload("Guide.md", "# Guide\n\nRead me.", ""));
  assertEquals([markdown.title, markdown.mediaType], ["Guide.md", "text/markdown"]);
  const page = "<!doctype html><title>x</title><p>Hello";
  const unnamed = await settled(await upload("notes", page));
  assertEquals([unnamed.mediaType, unnamed.state], ["text/html", "ready"]);
  const zip = new Uint8Array([0x50, 0x4b, 3, 4, ...new Uint8Array(100)]);
  const failed = await settled(await upload("notes.docx", zip, "text/plain"));
  assertEquals([failed.mediaType, failed.state], ["application/octet-stream", "failed"]);
  assertEquals(failed.error?.code, "unsupported_type");
  assertMatch(failed.error?.message ?? "", /ZIP archive.*PDF, DOCX, XLSX/);
});

Deno.test("PUT …/documents/:id: replaces the content under its id; the old version is found meanwhile", async () => {
  await using fixture = await start();
  const { service, key, of, post, settled, get } = fixture;
  const { id } = await settled(await post({ title: "Returns", content: "Return zebras in May." }));
  const put = (init: { json?: unknown; body?: FormData }, to = id) =>
    service.fetch(of(`/documents/${to}`), { method: "PUT", key, ...init });
  const search = async (query: string) => {
    const answer = await service.fetch(of("/search"), { method: "POST", key, json: { query } });
    return (await expectJson(answer, 200)).passages.length;
  };
  assertEquals(await search("zebra"), 1);
  const content = { title: "Returns, new", content: "Return giraffes in June." };
  const replaced = await expectJson(await put({ json: content }), 200);
  assertEquals([replaced.id, replaced.title], [id, "Returns, new"]);
  await service.service.documents.whenIdle();
  assertEquals([await search("zebra"), await search("giraffe")], [0, 1]);
  const body = new FormData();
  body.set("file", new File(["Name;Price\nOkapi;3"], "prices.csv"));
  assertEquals((await expectJson(await put({ body }), 200)).mediaType, "text/csv");
  await service.service.documents.whenIdle();
  assertEquals([await search("giraffe"), await search("okapi")], [0, 1]);
  assertEquals((await expectJson(await get("/documents"), 200)).data.length, 1);
  await expectError(await put({ json: content }, crypto.randomUUID()), "not_found");
  await expectInvalid(await put({ json: { title: "" } }), ["content", "title"]);
  assertEquals(await search("okapi"), 1);
});

Deno.test("POST …/documents: random bytes, text or a page named .pdf fail and are never indexed", async () => {
  await using fixture = await start();
  const { upload, settled, get } = fixture;
  const random = seeded(16);
  const noise = Array.from(
    { length: 20 },
    (_, n) => Uint8Array.from({ length: 1 + n * 400 }, () => Math.floor(random() * 256)),
  );
  for (const content of [...noise, "Some words.", "<!doctype html><p>404 Not found"]) {
    for (const type of ["", "application/pdf", "text/plain"]) {
      const { mediaType, state, error } = await settled(await upload("report.pdf", content, type));
      assertEquals([mediaType, state, error?.code], ["application/pdf", "failed", "damaged"]);
      assertMatch(error?.message ?? "", /sent as a PDF/);
    }
  }
  const picture = await settled(await upload("a.png", "Some words.", "image/png"));
  assertEquals([picture.state, picture.error?.code], ["failed", "unsupported_type"]);
  assertEquals((await expectJson(await get(), 200)).chunkCount, 0);
});

Deno.test("POST …/documents: a form's title is stored in full, or rejected", async () => {
  await using fixture = await start();
  const { service, key, of, settled } = fixture;
  const send = (title: string) => {
    const body = new FormData();
    body.set("file", new File(["Parcels travel by train."], "a.txt"));
    body.set("title", title);
    return service.fetch(of("/documents"), { method: "POST", key, body });
  };
  for (const title of ["t".repeat(256), "👩".repeat(128)]) {
    assertEquals((await settled(await send(title))).title, title);
  }
  await expectInvalid(await send("t".repeat(257)), ["title"]);
  await expectInvalid(await send("👩".repeat(129)), ["title"]);
});

Deno.test("POST …/documents: an invalid body is 400 with the path of the issue", async () => {
  await using fixture = await start();
  const { service, key, of, post } = fixture;
  await expectInvalid(await post({}), ["title", "content"]);
  await expectInvalid(await post({ ...TEXT, mediaType: "application/pdf" }), ["mediaType"]);
  await expectInvalid(await post({ ...TEXT, more: 1 }), ["more"]);
  const send = (body: BodyInit, type?: string) => {
    const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
    return service.fetch(of("/documents"), { method: "POST", key, body, headers });
  };
  await expectInvalid(await send("{", "application/json"), [""]);
  await expectInvalid(await send("x", "multipart/form-data"), [""]);
  await expectInvalid(await send("x", "multipart/form-data; boundary=y"), [""]);
  const form = new FormData();
  await expectInvalid(await send(form), ["file"]);
  form.set("file", "no file");
  await expectInvalid(await send(form), ["file"]);
  form.set("file", new File([], "empty.txt"));
  await expectInvalid(await send(form), ["file"]);
  form.set("colour", "red");
  await expectInvalid(await send(form), ["colour"]);
  await expectError(await send("x", "text/plain"), "unsupported_media_type");
});

Deno.test("POST …/documents: accepts up to 20 MiB, while other routes accept 1 MiB", async () => {
  await using fixture = await start();
  const { service, key, of, upload, settled } = fixture;
  const size = 20 * 1_048_576;
  const large = new Uint8Array(size).fill(0x20);
  large.set(new TextEncoder().encode("Hello"), size / 2);
  const document = await settled(await upload("large.txt", large));
  assertEquals([document.bytes, document.state], [size, "ready"]);
  await expectError(await upload("larger.txt", new Uint8Array(size + 1)), "payload_too_large");
  const body = new Uint8Array(size + 70_000);
  const headers = { "content-type": "application/json" };
  const endless = await service.fetch(of("/documents"), { method: "POST", key, body, headers });
  await expectError(endless, "payload_too_large");
  const other = { method: "PATCH", key, headers, body: body.slice(0, 1_048_577) };
  await expectError(await service.fetch(of(), other), "payload_too_large");
});

Deno.test("POST …/documents: a document is stored once per Idempotency-Key", async () => {
  await using fixture = await start();
  const { post, get } = fixture;
  const headers = { "idempotency-key": "one" };
  const [a, b] = await Promise.all([post(TEXT, headers), post(TEXT, headers)]);
  assertEquals(await expectJson(a, 201), await expectJson(b, 201));
  const other = await post({ ...TEXT, content: "Never." }, headers);
  await expectError(other, "idempotency_key_reused");
  assertEquals((await expectJson(await get("/documents"), 200)).data.length, 1);
});

Deno.test("POST …/search: finds passages of ready documents, and none after they are deleted", async () => {
  await using fixture = await start();
  const { service, key, of, post, settled, remove, upload } = fixture;
  const search = (json: unknown) => service.fetch(of("/search"), { method: "POST", key, json });
  const { id } = await settled(await post(TEXT));
  await settled(await upload("other.md", "# Parcels\n\nParcels arrive on Monday."));
  const { passages } = await expectJson(await search({ query: "return a book" }), 200);
  const [{ score, ...passage }] = passages;
  assert(score > 0);
  assertEquals(passage, {
    documentId: id,
    title: "Returns",
    headingPath: [],
    position: 0,
    text: TEXT.content,
  });
  const monday = await expectJson(await search({ query: "Monday", limit: 1 }), 200);
  assertEquals(monday.passages.map((one: { headingPath: string[] }) => one.headingPath), [[
    "Parcels",
  ]]);
  await remove(`/documents/${id}`);
  assertEquals(await expectJson(await search({ query: "book" }), 200), { passages: [] });
  await expectInvalid(await search({ query: "", limit: 21 }), ["query", "limit"]);
});

Deno.test("DELETE /v1/knowledge-bases: a deleted document or base leaves no KV key", async () => {
  await using fixture = await start();
  const { kv, post, remove, settled, base, upload, service, key } = fixture;
  const create = { method: "POST", key, json: { name: "kept" } };
  const remaining = await expectJson(await service.fetch("/v1/knowledge-bases", create), 201);
  const before = (await storedKeys(kv)).filter((name) => !name.includes(base.id));
  const first = await settled(await post(TEXT));
  await settled(await upload("large.md", "# A\n\nHello. ".repeat(20_000)));
  await settled(await upload("bad.bin", new Uint8Array(300)));
  assertEquals((await remove(`/documents/${first.id}`)).status, 204);
  assertEquals((await storedKeys(kv)).filter((name) => name.includes(first.id)), []);
  await expectError(await remove(`/documents/${first.id}`), "not_found");
  assert((await storedKeys(kv)).some((name) => name.startsWith("document_chunks")));
  assertEquals((await remove()).status, 204);
  const isWindow = (name: string) => name.includes("windows");
  const after = (await storedKeys(kv)).filter((name) => !isWindow(name));
  assertEquals(after, before.filter((name) => !isWindow(name)));
  assert(after.some((name) => name.includes(remaining.id)));
});

Deno.test("/v1/knowledge-bases: another tenant's base and document are 404 on every route and cannot be referenced by an agent", async () => {
  await using fixture = await start();
  const { service, base, post, settled, get } = fixture;
  const { id } = await settled(await post(TEXT));
  const theirs = await service.key(["knowledge:write", "agents:write"], crypto.randomUUID());
  const path = `/v1/knowledge-bases/${base.id}`;
  const calls: [string, string, unknown?][] = [
    ["GET", path],
    ["PATCH", path, { name: "mine" }],
    ["DELETE", path],
    ["POST", `${path}/search`, { query: "book" }],
    ["GET", `${path}/documents`],
    ["POST", `${path}/documents`, TEXT],
    ["GET", `${path}/documents/${id}`],
    ["DELETE", `${path}/documents/${id}`],
  ];
  for (const [method, address, json] of calls) {
    const answer = await service.fetch(address, { method, key: theirs, json });
    await expectError(answer, "not_found");
  }
  const list = await service.fetch("/v1/knowledge-bases", { key: theirs });
  assertEquals(await expectJson(list, 200), { data: [] });
  await expectJson(await get(`/documents/${id}`), 200);
});

Deno.test("/v1/agents: knowledgeBaseId must be a base of the tenant, and remains after the base is deleted", async () => {
  await using fixture = await start();
  const { service, base, key, remove } = fixture;
  const agent = await service.agent(key, { knowledgeBaseId: base.id });
  assertEquals(agent.knowledgeBaseId, base.id);
  const tenant = await service.tenant();
  const using = await service.service.agents.usingKnowledgeBase(tenant, base.id);
  assertEquals([using.data.map(({ id }) => id), using.more], [[agent.id], false]);
  await remove();
  const patch = (json: unknown) =>
    service.fetch(`/v1/agents/${agent.id}`, { method: "PATCH", key, json });
  assertEquals((await expectJson(await patch({ name: "Renamed" }), 200)).name, "Renamed");
  // A stored reference may be sent again; a new reference to a deleted base is rejected.
  await expectJson(await patch({ knowledgeBaseId: base.id }), 200);
  const json = { ...agentBody(), knowledgeBaseId: base.id };
  const another = await service.fetch("/v1/agents", { method: "POST", key, json });
  await expectInvalid(another, ["knowledgeBaseId"]);
});
