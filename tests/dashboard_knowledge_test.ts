/** The knowledge pages as a browser without JavaScript uses them. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import { openKnowledge } from "./support/knowledge.ts";
import { ownerCookie } from "./support/owner.ts";
import { agentBody } from "./support/service.ts";

async function open() {
  const setup = await openKnowledge();
  const { service, kv } = setup;
  const cookie = await ownerCookie(service);
  const tenant = await service.tenant();
  const get = (path: string, headers = {}) =>
    service.fetch(path, { headers: { cookie, ...headers } });
  const post = (path: string, fields: object = {}, headers = {}) =>
    service.fetch(path, {
      method: "POST",
      body: fields instanceof FormData ? fields : new URLSearchParams({ ...fields }),
      headers: { cookie, ...headers },
    });
  const files = (...names: string[]) => {
    const form = new FormData();
    for (const name of names) {
      const text = `# ${name}\n\nThe ${name} says that parcels travel by train.`;
      form.append("file", new File([text], name));
    }
    return form;
  };
  const list = async () => (await service.service.knowledge.listDocuments(of, { limit: 50 })).data;
  const of = { tenant, base: setup.base.id };
  const path = `/knowledge/${setup.base.id}`;
  const setRole = async (role: string) => {
    for await (const entry of kv.list<{ role: string }>({ prefix: ["users"] })) {
      await kv.set(entry.key, { ...entry.value, role });
    }
  };
  return {
    ...{
      setup,
      service,
      knowledge: service.service.knowledge,
      documents: service.service.documents,
    },
    ...{ get, post, files, list, of, path, setRole },
    [Symbol.asyncDispose]: () => setup[Symbol.asyncDispose](),
  };
}

Deno.test("knowledge pages: a base is created, renamed and deleted, and rejected input stays in the form", async () => {
  await using dash = await open();
  const { get, post, knowledge, of } = dash;
  const rejected = await post("/knowledge/new", { name: " ", description: "Typed <text>" });
  assertEquals(rejected.status, 400);
  const html = await rejected.text();
  assertStringIncludes(html, "Enter a name of 1 to 128 characters.");
  assertStringIncludes(html, "Typed &lt;text>");
  const made = await post("/knowledge/new", { name: "Manuals", description: "" });
  const address = made.headers.get("location")!;
  assertMatch(address, /^\/knowledge\/[0-9a-f-]{36}\?notice=base_created$/);
  assertStringIncludes(await (await get(address)).text(), "Knowledge base created.");
  const path = address.split("?")[0]!;
  const saved = await post(`${path}/settings`, { name: "Handbooks", description: "All" });
  assertEquals(saved.status, 303);
  const list = await (await get("/knowledge")).text();
  for (const text of ["Handbooks", "All", "Shop"]) assertStringIncludes(list, text);
  assertEquals(
    (await post(`${path}/delete`)).headers.get("location")?.split("?")[0],
    "/knowledge",
  );
  assertEquals((await get(path)).status, 404);
  assertEquals((await knowledge.list(of.tenant, { limit: 9 })).data.length, 1);
});

Deno.test("knowledge pages: a base's language can be chosen, is shown, and can be reset to automatic", async () => {
  await using dash = await open();
  const { get, post, knowledge, of, path } = dash;
  const settings = `${path}/settings`;
  const language = async () => (await knowledge.get(of.tenant, of.base)).language;
  const chosen =
    /<option[^>]*value="([^"]*)"[^>]*selected|<option[^>]*selected[^>]*value="([^"]*)"/;
  assertEquals((await post(settings, { name: "Shop", language: "de" })).status, 303);
  assertEquals(await language(), "de");
  const [, one, other] = (await (await get(settings)).text()).match(chosen) ?? [];
  assertEquals(one ?? other, "de");
  const rejected = await post(settings, { name: "Shop", language: "xx" });
  assertEquals(rejected.status, 400);
  assertStringIncludes(await rejected.text(), "Choose a language from the list.");
  assertEquals(await language(), "de");
  assertEquals((await post(settings, { name: "Shop", language: "" })).status, 303);
  assertEquals(await language(), undefined);
});

Deno.test("POST /knowledge/:id/documents: a plain form uploads several files, which become ready", async () => {
  await using dash = await open();
  const { get, post, files, documents, path } = dash;
  const sent = await post(`${path}/documents`, files("a.md", "b.md"));
  assertEquals([sent.status, sent.headers.get("location")], [
    303,
    `${path}?notice=documents_added`,
  ]);
  await documents.whenIdle();
  const html = await (await get(path)).text();
  assert(!html.includes(`http-equiv="refresh"`));
  for (const text of ["a.md", "b.md", ">Ready<", "Markdown"]) assertStringIncludes(html, text);
});

Deno.test("GET /knowledge/:id: without JavaScript the page reloads itself while a document is processing", async () => {
  await using dash = await open();
  const { get, post, files, documents, path, list, of, setup } = dash;
  await post(`${path}/documents`, files("a.md"));
  await documents.whenIdle();
  const key = keys.document({ ...of, id: (await list())[0]!.id });
  const { value } = await setup.kv.get<object>(key);
  await setup.kv.set(key, { ...value, state: "processing" });
  const html = await (await get(path)).text();
  assertStringIncludes(html, "Processing");
  const refresh = `<noscript><meta http-equiv="refresh" content="5;url=${path}"/></noscript>`;
  assertStringIncludes(html.split("</head>")[0]!, refresh);
});

Deno.test("POST /knowledge/:id/documents: a rejected upload gets a reason as a page, and as JSON for scripts", async () => {
  await using dash = await open();
  const { post, files, path, list } = dash;
  const form = files("a.md");
  form.append("file", new File([], "empty.txt"));
  const rejected = await post(`${path}/documents`, form);
  assertEquals(rejected.status, 400);
  assertStringIncludes(
    await rejected.text(),
    "Not everything was added. file: “empty.txt” is empty.",
  );
  const other = await post(`${path}/documents`, { file: "x" });
  assertEquals(other.status, 415);
  assertStringIncludes(await other.text(), "multipart/form-data");
  const accept = { accept: "application/json" };
  const json = await post(`${path}/documents`, form, accept);
  assertEquals([json.status, (await json.json()).code], [400, "schema_validation_failed"]);
  assertEquals(await list(), []);
  const added = await post(`${path}/documents`, files("a.md"), accept);
  assertEquals([added.status, (await added.json()).documents[0].title], [201, "a.md"]);
});

Deno.test("documents: one can be processed again, replaced under its id, and deleted", async () => {
  await using dash = await open();
  const { get, post, files, documents, list, path, knowledge, of } = dash;
  await post(`${path}/documents`, files("a.md"));
  await documents.whenIdle();
  const [document] = await list();
  // The page and the JSON for its script report the same counts.
  assertMatch(await (await get(path)).text(), /1 document, 1 searchable passage\W/);
  const counts = await get(`${path}/documents`, { accept: "application/json" });
  const { documentCount, chunkCount } = await counts.json();
  assertEquals([documentCount, chunkCount], [1, 1]);
  const address = `${path}/documents/${document!.id}`;
  assertEquals((await post(`${address}/read-again`)).status, 303);
  await documents.whenIdle();
  assertEquals((await list())[0]?.state, "ready");
  const empty = new FormData();
  const rejected = await post(`${address}/replace`, empty);
  assertEquals(rejected.status, 400);
  assertStringIncludes(await rejected.text(), "The document was not replaced.");
  assertEquals((await post(`${address}/replace`, files("zebra.md"))).status, 303);
  await documents.whenIdle();
  const [replaced, ...more] = await list();
  assertEquals([replaced?.id, replaced?.title, more.length], [document!.id, "zebra.md", 0]);
  assertEquals((await knowledge.search(of, { query: "zebra" })).map(({ title }) => title), [
    "zebra.md",
  ]);
  assertStringIncludes(await (await get(`${address}/delete`)).text(), "Delete zebra.md?");
  assertEquals((await post(`${address}/delete`)).status, 303);
  assertEquals(await list(), []);
  for (const tail of ["/delete", "/replace"]) assertEquals((await get(address + tail)).status, 404);
});

Deno.test("GET /knowledge/:id/documents/:id: the passages in their order, each with an address, in parts", async () => {
  await using dash = await open();
  const { get, path, knowledge, documents, of, post, files } = dash;
  const section = (n: number) => `# Section <${n}>\n\n${`Words of section ${n}. `.repeat(90)}\n\n`;
  const text = Array.from({ length: 30 }, (_, n) => section(n)).join("");
  const bytes = new TextEncoder().encode(text);
  const upload = { title: "Long <b>", mediaType: "text/markdown" as const, bytes };
  const { id } = await knowledge.addDocument({ tenant: of.tenant, base: of.base }, upload);
  const address = `${path}/documents/${id}`;
  assertStringIncludes(await (await get(address)).text(), "once it has been processed");
  await documents.whenIdle();
  const html = await (await get(address)).text();
  assertStringIncludes(html, 'id="passage-1"');
  assertStringIncludes(html, 'id="passage-25"');
  assertEquals(html.includes('id="passage-26"'), false);
  assertStringIncludes(html, "Section &lt;0>");
  assertStringIncludes(html, `${address}?from=25`);
  const second = await (await get(`${address}?from=25`)).text();
  assertStringIncludes(second, 'id="passage-26"');
  assertStringIncludes(second, `href="${address}"`);
  for (const from of ["-1", "x", "1e9", "0.5"]) {
    assertStringIncludes(await (await get(`${address}?from=${from}`)).text(), 'id="passage-1"');
  }
  const found = await (await get(`${path}/search?q=section+29`)).text();
  assertMatch(found, new RegExp(`${address}(\\?from=25)?#passage-\\d`));
  await post(`${path}/documents`, files("a.md"));
  assertEquals((await get(`${path}/documents/${crypto.randomUUID()}`)).status, 404);
});

Deno.test("/knowledge/:id/documents/text: a pasted text is a document, and what is missing is said", async () => {
  await using dash = await open();
  const { get, path, documents, list, post, knowledge, of } = dash;
  const address = `${path}/documents/text`;
  assertStringIncludes(await (await get(path)).text(), address);
  assertEquals((await get(address)).status, 200);
  const rejected = await post(address, { title: "", content: "  " });
  assertEquals(rejected.status, 400);
  const html = await rejected.text();
  for (const issue of ["Enter a title of 1 to", "Enter the document's text."]) {
    assertStringIncludes(html, issue);
  }
  const content = "# Opening hours\r\n\r\nZebras from nine.";
  assertEquals((await post(address, { title: "Hours", content })).status, 303);
  await documents.whenIdle();
  assertEquals((await list()).map(({ title, state }) => [title, state]), [["Hours", "ready"]]);
  const [passage] = await knowledge.search(of, { query: "zebra" });
  assertEquals([passage?.headingPath, passage?.text], [["Opening hours"], "Zebras from nine."]);
});

Deno.test("GET /knowledge/:id/search: shows each passage with its headings, score and highlighted words", async () => {
  await using dash = await open();
  const { get, post, files, documents, path } = dash;
  await post(`${path}/documents`, files("<b>.md"));
  await documents.whenIdle();
  const html = await (await get(`${path}/search?q=${encodeURIComponent("train of parcels")}`))
    .text();
  assertStringIncludes(html, "&lt;b>.md › ");
  assertStringIncludes(html, "<mark>parcels</mark> travel by <mark>train</mark>");
  assertStringIncludes(html, "parcels, train");
  assertMatch(html, /Score \d/);
  const none = await (await get(`${path}/search?q=zzz`)).text();
  assertStringIncludes(none, "No passages found");
  const odd = await get(`${path}/search?q=%00%ed%a0%80${"x".repeat(2_000)}`);
  assertEquals(odd.status, 200);
  await odd.body?.cancel();
});

Deno.test("knowledge pages: a base lists the agents that use it, also before it is deleted", async () => {
  await using dash = await open();
  const { get, post, service, path, of } = dash;
  const { agents } = service.service;
  const made = await agents.create(of.tenant, {
    ...agentBody(),
    name: "Parcel desk",
    knowledgeBaseId: of.base,
  });
  assertStringIncludes(await (await get(path)).text(), "Parcel desk");
  const confirmation = await (await get(`${path}/delete`)).text();
  for (const text of ["1 agent uses", "Parcel desk", "Delete anyway"]) {
    assertStringIncludes(confirmation, text);
  }
  const editor = await (await get(`/agents/${made.id}/knowledge`)).text();
  assertMatch(editor, new RegExp(`<option value="${of.base}" selected[^>]*>Shop<`));
  assertEquals((await post(`${path}/delete`)).status, 303);
  const after = await (await get(`/agents/${made.id}/knowledge`)).text();
  assertStringIncludes(after, "(deleted)");
});

Deno.test("knowledge pages: viewers can read but not change anything, and other sites can change nothing", async (t) => {
  await using dash = await open();
  const { get, post, files, documents, list, path, setRole, knowledge, of } = dash;
  await post(`${path}/documents`, files("a.md"));
  await documents.whenIdle();
  const [document] = await list();
  const address = `${path}/documents/${document!.id}`;
  const changes = [
    ...["/knowledge/new", `${path}/settings`, `${path}/delete`, `${path}/documents`],
    ...["read-again", "replace", "delete"].map((name) => `${address}/${name}`),
  ];
  for (const target of changes) {
    await t.step(
      `POST ${target.replaceAll(/[0-9a-f-]{36}/g, ":id")} from another site`,
      async () => {
        const answer = await post(target, files("x.md"), { origin: "https://evil.example" });
        assertEquals(answer.status, 403);
        await answer.body?.cancel();
      },
    );
  }
  await setRole("viewer");
  for (const target of changes) {
    await t.step(`POST ${target.replaceAll(/[0-9a-f-]{36}/g, ":id")} as a viewer`, async () => {
      const answer = await post(target, files("x.md"));
      assertEquals(answer.status, 403);
      await answer.body?.cancel();
    });
  }
  for (const page of ["/knowledge", path, `${path}/search?q=train`]) {
    const html = await (await get(page)).text();
    assert(!/method="post" action="\/knowledge/.test(html), page);
    assert(!html.includes("New knowledge base"), page);
  }
  const forms = ["/knowledge/new", `${path}/settings`, `${path}/delete`, `${address}/replace`];
  for (const page of forms) assertEquals((await get(page)).status, 403, page);
  assertEquals([(await list()).length, (await knowledge.get(of.tenant, of.base)).name], [
    1,
    "Shop",
  ]);
});

Deno.test("knowledge pages: another tenant's base and document are 404", async () => {
  await using dash = await open();
  const { get, post, setup, service, files } = dash;
  const other = crypto.randomUUID();
  const base = await service.service.knowledge.create(other, { name: "Theirs" });
  const theirs = { tenant: other, base: base.id };
  const bytes = new TextEncoder().encode("hello");
  const upload = { title: "T", mediaType: "text/plain" as const, bytes };
  const { id } = await service.service.knowledge.addDocument(theirs, upload);
  for (const baseId of [base.id, setup.base.id, "x"]) {
    const address = `/knowledge/${baseId}/documents/${id}`;
    const pages = [`${address}/delete`, `${address}/replace`];
    if (baseId === base.id) {
      pages.push(
        ...["", "/search?q=a", "/settings", "/delete"].map((tail) => `/knowledge/${baseId}${tail}`),
      );
    }
    for (const page of pages) assertEquals((await get(page)).status, 404, page);
    for (const tail of ["read-again", "replace", "delete"]) {
      assertEquals((await post(`${address}/${tail}`, files("x"))).status, 404);
    }
  }
  assertEquals((await post(`/knowledge/${base.id}/documents`, files("x"))).status, 404);
  assertEquals(
    (await service.service.knowledge.listDocuments(theirs, { limit: 5 })).data.length,
    1,
  );
});

Deno.test("audit log: changes to a base and its documents name the user or key that made them", async () => {
  await using dash = await open();
  const { post, get, files, documents, list, path, service, of } = dash;
  await post(`${path}/settings`, { name: "Manuals", description: "" });
  await post(`${path}/documents`, files("a.md"));
  await documents.whenIdle();
  const [document] = await list();
  await post(`${path}/documents/${document!.id}/replace`, files("b.md"));
  await post(`${path}/documents/${document!.id}/delete`);
  await post(`${path}/delete`);
  const { data } = await service.service.audit.list(of.tenant, { limit: 20 });
  const entries = data.filter(({ kind }) => kind === "knowledge base" || kind === "document");
  assertEquals(
    entries.map(({ kind, action, target, actor }) => [kind, action, target.name, actor.kind])
      .sort(),
    [
      ["document", "create", "a.md", "user"],
      ["document", "delete", "b.md", "user"],
      ["document", "replace", "b.md", "user"],
      ["knowledge base", "change", "Manuals", "user"],
      ["knowledge base", "create", "Shop", "api_key"],
      ["knowledge base", "delete", "Manuals", "user"],
    ],
  );
  const change = entries.find(({ action }) => action === "change");
  assertEquals(change?.changes, [{ field: "name", before: "Shop", after: "Manuals" }]);
  assertStringIncludes(await (await get("/audit?kind=document")).text(), "b.md");
});
