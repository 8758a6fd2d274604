/** Home, conversations and usage: the contents of their pages. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serviceWithReports } from "./support/reports.ts";
import { chat as widgetChat } from "./support/widget_calls.ts";

const SHOP = "https://shop.example";

async function open() {
  const reports = await serviceWithReports();
  const { service, cookie } = reports;
  const get = (path: string) => service.fetch(path, { headers: { cookie } });
  const html = async (path: string): Promise<string> => {
    const answer = await get(path);
    assertEquals(answer.status, 200, path);
    return await answer.text();
  };
  /** A page's text without its markup. */
  const text = async (path: string) =>
    (await html(path)).replace(/<head>.*?<\/head>/s, "").replace(/<[^>]*>/g, " ").replace(
      /\s+/g,
      " ",
    );
  const post = (path: string, origin = service.url) =>
    service.fetch(path, {
      ...{ method: "POST", body: new URLSearchParams() },
      headers: { cookie, origin },
    });
  return { ...reports, get, html, text, post };
}

Deno.test("/ redirects to /home, which shows today, what needs attention, and the last month", async () => {
  await using on = await open();
  const front = await on.get("/");
  assertEquals([front.status, front.headers.get("location")], [303, "/home"]);
  const home = await on.text("/home");
  assertMatch(home, /\$0\.0\d+ of \$5\.00 today/);
  assertMatch(
    home,
    /Messages 2 .*Runs succeeded 1 .*Runs failed 1 .*Runs in progress 0 of 10 /,
  );
  assertMatch(home, /https:\/\/evil\.example may not embed Shop assistant. It was rejected once/);
  assertStringIncludes(home, "2, 1 failed");
});

Deno.test("/home: a model is failing after three failures in a row, until three answers in a row", async () => {
  await using on = await open();
  const failing = "Provider A is failing for mid.";
  assert(!(await on.text("/home")).includes(failing), "one failure of two runs");
  for (let n = 0; n < 2; n++) {
    on.mock.next({ say: [{ text: "Half" }, { error: "overloaded" }], end: "none" });
    await on.chat();
  }
  assertMatch(
    await on.text("/home"),
    /Provider A is failing for mid\. 3 of 4 requests failed in the last 5 minutes\. .*provider_error/,
  );
  for (let n = 0; n < 3; n++) await on.chat();
  assert(!(await on.text("/home")).includes(failing));
});

Deno.test("pages with charts keep their own titles, as do the charts", async () => {
  await using on = await open();
  for (const [path, title] of [["/home", "Home"], ["/usage", "Usage"]] as const) {
    const html = await on.html(path);
    assertMatch(html, new RegExp(`<head>.*<title>${title} · Agent Chat</title>.*</head>`, "s"));
    const charts = html.replace(/<head>.*<\/head>/s, "");
    const titles = [...charts.matchAll(/<title[^>]*>([^<]*)/g)].map(([, title]) => title);
    assert(titles.length > 0);
    assertEquals(titles.filter((text) => text!.includes("Agent Chat")), [], path);
  }
});

Deno.test("/home: a service without activity has an empty state", async () => {
  await using on = await open();
  const { service, cookie } = on.empty;
  const home = await (await service.fetch("/home", { headers: { cookie } })).text();
  assertStringIncludes(home, "All systems normal");
  assertStringIncludes(home, "No chats yet");
});

Deno.test("/home: warns of an expiring key and of a session used on a page that is not allowed", async () => {
  await using on = await open();
  const { service, key, agent } = on;
  const soon = new Date(service.service.runtime.now() + 3 * 86_400_000).toISOString();
  const tenant = await service.tenant();
  await service.service.apiKeys.create(tenant, { name: "CI", scopes: [], expiresAt: soon });
  const allowedOrigins = [SHOP];
  await service.fetch(`/v1/agents/${agent.id}`, {
    ...{ method: "PATCH", key, json: { allowedOrigins } },
  }).then((answer) => answer.body?.cancel());
  const sessionToken = await service.mint(key, agent.id, SHOP);
  const headers = { origin: "https://copied.example" };
  const rejected = await widgetChat(service, agent, { sessionToken, headers });
  assertEquals(rejected.status, 403);
  await rejected.body?.cancel();
  const home = await on.text("/home");
  assertMatch(home, /API key CI expires in 3 days/);
  assertMatch(home, /https:\/\/copied\.example may not embed Shop assistant/);
});

Deno.test("/conversations: filters the list and finds a conversation by its id or a run's id", async () => {
  await using on = await open();
  const { first, failed } = on;
  const listed = async (query: string) => {
    const found = [
      ...(await on.html(`/conversations${query}`)).matchAll(
        /class="row-link[^"]*" href="\/conversations\/([\w-]{36})/g,
      ),
    ];
    return found.map(([, id]) => id);
  };
  assertEquals(
    (await listed("")).toSorted(),
    [first, failed].map((c) => c.conversationId).toSorted(),
  );
  assertEquals(await listed("?finish=error"), [failed.conversationId]);
  assertEquals(await listed("?finish=stop&from=2026-01-15&to=2026-01-15"), [first.conversationId]);
  assertEquals(await listed("?to=2026-01-14"), []);
  assertEquals(await listed("?cost=50000"), []);
  for (const id of [first.conversationId, first.runId, ` ${first.runId.toUpperCase()} `]) {
    const found = await on.get(`/conversations?id=${encodeURIComponent(id)}`);
    const href = found.headers.get("location") ?? "";
    assert(href.startsWith(`/conversations/${first.conversationId}?`), href);
    const text = await on.text(href);
    assertMatch(text, /Visitor: Hello/);
    assertMatch(text, /Agent: Hello there\./);
    assertMatch(text, /Time to first text \d+ ms/);
  }
  assertStringIncludes(
    await on.text("/conversations?id=unknown"),
    "No conversation or run has this",
  );
  assertEquals(
    (await on.get("/conversations?cursor=old")).headers.get("location"),
    "/conversations",
  );
});

Deno.test("/conversations/:id/delete: asks for confirmation and deletes only that conversation", async () => {
  await using on = await open();
  const { first, failed } = on;
  const path = `/conversations/${first.conversationId}`;
  assertStringIncludes(await on.text(`${path}/delete`), "Delete this conversation?");
  const foreign = await on.post(`${path}/delete`, "https://evil.example");
  assertEquals(foreign.status, 403);
  const done = await on.post(`${path}/delete`);
  assertEquals(done.headers.get("location"), "/conversations?notice=conversation_deleted");
  assertEquals((await on.get(path)).status, 404);
  assertEquals((await on.post(`${path}/delete`)).status, 404);
  assertEquals((await on.get(`/conversations/${failed.conversationId}`)).status, 200);
});

Deno.test("/usage: groups by day, agent, model and key, as a table and as CSV", async () => {
  await using on = await open();
  const { agent } = on;
  assertMatch(await on.text("/usage"), /Jan 15|2026-01-15/);
  assertMatch(await on.text("/usage?by=agent"), /Shop assistant \$0\.\d+ 2 1 /);
  assertMatch(await on.text("/usage?by=model"), /mid \(Provider A\) \$0\.\d+ 2 1 /);
  assertMatch(await on.text("/usage?by=key"), /test \$0\.\d+ 2 1 /);
  assertStringIncludes(await on.text("/usage?from=2025-01-01&to=2025-01-02"), "No usage");
  for (const days of ["from=tomorrow", "to=0000-01-01"]) {
    assertStringIncludes(await on.text(`/usage?${days}`), "Enter a start and an end date");
  }
  for (const path of ["/conversations", "/audit"]) {
    for (const days of ["from=2026-01-22&to=2026-01-01", "from=9999-12-31&to=0000-01-01"]) {
      const page = await on.get(`${path}?${days}`);
      assertEquals(page.status, 200);
      await page.body?.cancel();
    }
  }
  const csv = await on.get("/usage/csv?by=agent");
  assertEquals(csv.headers.get("content-type"), "text/csv; charset=utf-8");
  assertMatch(
    csv.headers.get("content-disposition") ?? "",
    /^attachment; filename="usage-by-agent-/,
  );
  const [head, row, end] = (await csv.text()).split("\r\n");
  assertMatch(head ?? "", /^"agent_id","agent_name","cost_usd"/);
  assert(row?.startsWith(`"${agent.id}","Shop assistant",0.`), row);
  assertEquals(end, "");
});
