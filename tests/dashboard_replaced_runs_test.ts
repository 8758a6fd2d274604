/** Replaced runs in the dashboard: collapsed in their place, and in exports. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openConversations } from "./support/conversations.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import type { TestServiceOptions } from "./support/service.ts";
import { SseText } from "./support/sse_text.ts";
import { onPage, say } from "./support/widget_calls.ts";

async function open(options: TestServiceOptions = {}) {
  const fixture = await openConversations({ env: { SETUP_TOKEN }, ...options });
  const owner = await Dashboard.setUp(fixture.service);
  const read = async (path: string) => {
    const answer = await owner.get(path);
    assertEquals(answer.status, 200, path);
    return await answer.text();
  };
  return { ...fixture, read };
}

/** The runs of a transcript in order: the summary of a collapsed one, and the mark beside the time. */
function cards(html: string): [runId: string, summary: string, mark: string][] {
  const parts = html.split(/(?=<details class="more superseded">|<article class="run")/);
  const found: [string, string, string][] = [];
  let summary = "";
  for (const part of parts) {
    const text = /<summary>([^<]*)/.exec(part)?.[1] ?? "";
    if (part.startsWith("<details")) summary = text;
    const runId = /^<article class="run" id="run-([^"]*)"/.exec(part)?.[1];
    if (runId === undefined) continue;
    found.push([runId, summary, /<span class="badge">([^<]*)/.exec(part)?.[1] ?? ""]);
    summary = "";
  }
  return found;
}

Deno.test("/conversations/:id: replaced runs are collapsed in their place, and new ones say how", async () => {
  await using on = await open();
  const first = await on.chat("one");
  const of = { conversationId: first.id };
  const second = await on.chat("two", of);
  const again = await on.chat("two", { ...of, replaces: second.runId });
  const third = await on.chat("three", of);
  const edited = await on.chat("two <b>", { ...of, replaces: again.runId });
  const html = await on.read(`/conversations/${first.id}`);
  assertEquals(cards(html), [
    [first.runId, "", ""],
    [second.runId, "Replaced answer", ""],
    [again.runId, "Earlier version", "Asked again"],
    [third.runId, "Earlier version", ""],
    [edited.runId, "", "Question edited"],
  ]);
  assertStringIncludes(html, "two &lt;b>");
  const part = await on.read(`/conversations/${first.id}?limit=1`);
  assertEquals(cards(part), [[first.runId, "", ""]]);
});

Deno.test("/conversations/:id: a run whose replaced one is on another page says so", async () => {
  await using on = await open();
  const first = await on.chat("one");
  const of = { conversationId: first.id };
  const again = await on.chat("one", { ...of, replaces: first.runId });
  const page = await on.transcript(first.id, "?limit=1");
  const html = await on.read(`/conversations/${first.id}?cursor=${page.nextCursor}`);
  assertEquals(cards(html), [[again.runId, "", "Replaces an earlier message"]]);
});

Deno.test("/conversations/:id: an answer that is being written says what it replaces", async () => {
  const paused = pausableRuntime();
  await using on = await open({ runtime: paused.runtime });
  paused.release();
  const { id, runId } = await on.chat("one");
  paused.hold();
  const body = { messages: [say("one")], conversationId: id, replaces: runId };
  const stream = new SseText(await onPage(on.service, { ...on, body }));
  await stream.until("event: delta");
  const marks = cards(await on.read(`/conversations/${id}`)).map(([, ...rest]) => rest);
  assertEquals(marks, [["", ""], ["", "Asked again"]]);
  paused.release();
  await stream.until("event: done");
});

Deno.test("/conversations: the list shows the current first question, and search finds both branches", async () => {
  await using on = await open();
  const first = await on.chat("about the orchid");
  await on.chat("about the tulip", { conversationId: first.id, replaces: first.runId });
  const list = await on.read("/conversations");
  assertStringIncludes(list, "about the tulip");
  assertEquals(list.includes("about the orchid"), false);
  for (const word of ["orchid", "tulip"]) {
    assertStringIncludes(await on.read(`/conversations?q=${word}`), first.id);
  }
});

Deno.test("/conversations/export: has both branches, with `replaces` and `superseded`", async () => {
  await using on = await open();
  const first = await on.chat("one");
  const again = await on.chat("one", { conversationId: first.id, replaces: first.runId });
  const lines = (await on.read("/conversations/export?format=jsonl")).trimEnd().split("\n");
  const runs = lines.map((line) => JSON.parse(line));
  assertEquals(runs.map(({ runId, replaces, superseded }) => [runId, replaces, superseded]), [
    [first.runId, undefined, true],
    [again.runId, first.runId, undefined],
  ]);
  const [header, ...rows] = (await on.read("/conversations/export?format=csv")).split("\r\n");
  assert(header!.endsWith(`,"replaces","superseded"`), header);
  assert(rows[0]!.endsWith(`,"","true"`), rows[0]);
  assert(rows[1]!.endsWith(`,"${first.runId}",""`), rows[1]);
});
