/** /conversations/export: the filtered list as CSV and as JSON lines. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { openConversations } from "./support/conversations.ts";

async function open() {
  const fixture = await openConversations({ env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(fixture.service);
  return { ...fixture, owner };
}

Deno.test("/conversations/export: one line per run, of more conversations than a page, with the list's filters", async () => {
  await using fixture = await open();
  const { chat, owner, advance } = fixture;
  const ids: string[] = [];
  for (let n = 0; n < 25; n++) {
    ids.unshift((await chat(`question ${n}`)).id);
    advance(1_000);
  }
  const [last] = ids;
  await chat("a second orchid question", { conversationId: last });
  const answer = await owner.get("/conversations/export?format=jsonl");
  assertEquals(answer.headers.get("content-type"), "application/jsonl; charset=utf-8");
  const lines = (await answer.text()).trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map(({ conversationId }) => conversationId), [last, ...ids]);
  assertEquals(lines[1].messages[0].content, "a second orchid question");
  assertEquals([lines[0].source, lines[0].finishReason], ["widget", "stop"]);
  const found = await (await owner.get("/conversations/export?format=jsonl&q=orchid")).text();
  assertEquals(JSON.parse(found).messages[0].content, "a second orchid question");
  const none = await (await owner.get("/conversations/export?format=jsonl&source=api")).text();
  assertEquals(none, "");
});

Deno.test("/conversations/export: CSV cells are quoted, and no spreadsheet runs one", async () => {
  await using fixture = await open();
  const { chat, owner } = fixture;
  await chat(`=HYPERLINK("https://evil.example")`);
  await chat(`two\nlines, "quoted"`);
  const answer = await owner.get("/conversations/export?format=csv");
  assertEquals(answer.headers.get("content-type"), "text/csv; charset=utf-8");
  const text = await answer.text();
  assertEquals(text.split("\r\n").length, 4, "a header, two rows, and the end of the last");
  assertStringIncludes(text, `,"'=HYPERLINK(""https://evil.example"")",`);
  assertStringIncludes(text, `,"two\nlines, ""quoted""",`);
});

Deno.test("/conversations/export: is in the audit log with its filters, and has only the tenant's conversations", async () => {
  await using fixture = await open();
  const { chat, owner, service } = fixture;
  await chat("ours alone");
  await (await owner.get("/conversations/export?source=widget")).text();
  const tenant = await service.tenant();
  const { data: [entry] } = await service.service.audit.list(tenant, { limit: 1 });
  assertEquals([entry?.kind, entry?.action, entry?.target.name], [
    ...["conversation", "export", "conversations (csv)"],
  ]);
  assertEquals(entry?.changes, [{ field: "source", after: "widget" }]);
  const { id } = await service.service.tenants.create("Elsewhere");
  const other = await Dashboard.join(service, "viewer", { tenant: id, name: "else" });
  const elsewhere = await (await other.get("/conversations/export?format=jsonl")).text();
  assertEquals(elsewhere, "");
});

Deno.test("/conversations/export: has a conversation that gets a message while the export runs, once", async () => {
  await using fixture = await open();
  const { chat, owner, advance } = fixture;
  const ids: string[] = [];
  for (let n = 0; n < 25; n++) {
    ids.unshift((await chat(`question ${n}`)).id);
    advance(1_000);
  }
  const answer = await owner.get("/conversations/export?format=jsonl");
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value ?? "";
  // The oldest, which the export has not reached, and the latest, which it has written.
  for (const conversationId of [ids.at(-1), ids[0]]) await chat("again", { conversationId });
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const exported = lines.map(({ conversationId }) => conversationId);
  assertEquals([...new Set(exported)].sort(), ids.toSorted());
  const runs = lines.map(({ runId }) => runId);
  assertEquals(new Set(runs).size, runs.length);
});
