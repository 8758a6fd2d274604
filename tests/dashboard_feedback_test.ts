/** Feedback in the dashboard: beside the answers, in the filters and exports, and on the agent's page. */
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { openConversations } from "./support/conversations.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { ORIGIN } from "./support/widget_calls.ts";

async function open() {
  const fixture = await openConversations({ env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(fixture.service);
  const rate = async (runId: string, json: unknown) => {
    const headers = { "x-service-session": fixture.sessionToken, origin: ORIGIN };
    const path = `/v1/chat/runs/${runId}/feedback`;
    const method = json === undefined ? "DELETE" : "PUT";
    const init = { method, headers, ...(json === undefined ? {} : { json }) };
    assertEquals((await fixture.service.fetch(path, init)).status, 204);
  };
  const read = async (path: string) => {
    const answer = await owner.get(path);
    assertEquals(answer.status, 200, path);
    return await answer.text();
  };
  /** The ids of the conversations that the list shows, in order. */
  const listed = async (query: string) => {
    const ids = [
      ...(await read(`/conversations?${query}`)).matchAll(/\/conversations\/([0-9a-f-]{36})\?/g),
    ];
    return [...new Set(ids.map(([, id]) => id))];
  };
  return { ...fixture, owner, rate, read, listed };
}

Deno.test("/conversations: an answer shows its rating, reasons and comment as text", async () => {
  await using on = await open();
  const { runId, id } = await on.chat("Hello");
  const page = `/conversations/${id}`;
  assertFalse((await on.read(page)).includes("Rated down"));
  const comment = `<script>alert(1)</script> & "quotes"`;
  await on.rate(runId, { rating: "down", comment, reasons: ["off_topic"] });
  const html = await on.read(page);
  assertStringIncludes(html, "Rated down");
  assertStringIncludes(html, "Off topic");
  assertStringIncludes(html, "&lt;script>alert(1)&lt;/script> &amp; &quot;quotes&quot;");
});

Deno.test("/conversations: the list is filtered by rating, and follows each change", async () => {
  await using on = await open();
  const first = await on.chat("one");
  await on.advance(1_000);
  const second = await on.chat("two");
  await on.advance(1_000);
  const third = await on.chat("three");
  await on.rate(first.runId, { rating: "up" });
  await on.rate(second.runId, { rating: "up", comment: "Nice" });
  await on.rate(third.runId, { rating: "down" });
  assertEquals(await on.listed("rating=up"), [second.id, first.id]);
  assertEquals(await on.listed("rating=down"), [third.id]);
  assertEquals(await on.listed("rating=comment"), [second.id]);
  assertEquals(await on.listed("rating=up&finish=stop&q="), [second.id, first.id]);
  assertEquals(await on.listed("rating=up&q=two"), [second.id]);
  assertEquals(await on.listed("rating=down&q=two"), []);
  await on.rate(first.runId, { rating: "down" });
  await on.rate(second.runId, undefined);
  assertEquals(await on.listed("rating=up"), []);
  assertEquals(await on.listed("rating=comment"), []);
  assertEquals(await on.listed("rating=down"), [third.id, first.id]);
  const chips = await on.read("/conversations?rating=down");
  assertStringIncludes(chips, "Rating: Rated down");
});

Deno.test("/conversations: a rated run that expires is no longer found, though its conversation lives on", async () => {
  await using on = await open();
  const day = 86_400_000;
  const { runId, id } = await on.chat("one");
  await on.rate(runId, { rating: "down" });
  await on.advance(20 * day);
  const sessionToken = await on.service.mint(on.key, on.agent.id, ORIGIN);
  const again = { agentId: on.agent.id, sessionToken, conversationId: id };
  const messages = [{ role: "user", content: "two" }];
  const answer = await on.service.fetch("/v1/chat/stream", {
    method: "POST",
    json: { ...again, messages },
    headers: { "x-service-session": sessionToken, origin: ORIGIN },
  });
  assert((await answer.text()).includes("event: done"));
  const tenant = await on.service.tenant();
  const find = async (rating?: "down") => {
    const { data } = await on.service.service.inbox.list(tenant, { rating }, { limit: 10 });
    return data.map((row) => [row.id, row.ratings]);
  };
  assertEquals(await find("down"), [[id, ["down"]]]);
  await on.advance(11 * day);
  assertEquals(await find("down"), []);
  assertEquals(await find(), [[id, []]]);
});

Deno.test("/conversations/export: has rating, reasons and comment, and no formula in a comment", async () => {
  await using on = await open();
  const { runId } = await on.chat("Hello");
  const comment = "=1+1";
  await on.rate(runId, { rating: "down", comment, reasons: ["tone", "other"] });
  const csv = await on.read("/conversations/export?format=csv&rating=comment");
  const [header, row] = csv.split("\r\n");
  const names = `"rating","rating_reasons","rating_comment","replaces","superseded"`;
  assert(header!.endsWith(names), header);
  assert(row!.endsWith(`"down","tone, other","'=1+1","",""`), row);
  const jsonl = await on.read("/conversations/export?format=jsonl&rating=down");
  assertEquals(JSON.parse(jsonl).feedback.comment, comment);
  assertEquals(await on.read("/conversations/export?format=jsonl&rating=up"), "");
});

Deno.test("/agents/:id/feedback: counts and the share of each day, as chart and table", async () => {
  await using on = await open();
  const page = `/agents/${on.agent.id}/feedback`;
  assertStringIncludes(await on.read(page), "No ratings in the last 30 days");
  for (const rating of ["up", "up", "down"]) {
    await on.rate((await on.chat("Hello")).runId, { rating });
  }
  const html = await on.read(page);
  assertStringIncludes(html, "Share rated up by day");
  assertStringIncludes(html, "2 rated up");
  const [row] = /<tr><th scope="row">Jan 15<\/th>.*?<\/tr>/s.exec(html)!;
  assertEquals([...row.matchAll(/>([^<]+)<\/td>/g)].map(([, cell]) => cell), ["2", "1", "67%"]);
  assertEquals((html.match(/<th scope="row">/g) ?? []).length, 30);
  assertEquals((await on.owner.get(`/agents/${crypto.randomUUID()}/feedback`)).status, 404);
});

Deno.test("feedback is in no log and no audit entry", async () => {
  await using on = await open();
  const { runId, id } = await on.chat("Hello");
  await on.rate(runId, { rating: "down", comment: "a private word" });
  await on.read(`/conversations/${id}`);
  const tenant = await on.service.tenant();
  const { data } = await on.service.service.audit.list(tenant, { limit: 100 });
  assertFalse(JSON.stringify(data).includes("private word"));
  assertFalse(on.service.logged.join("\n").includes("private word"));
});
