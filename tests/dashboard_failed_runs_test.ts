/** The dashboard's error counts link to the conversations of exactly the failed runs. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFrames } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { signedInCookie } from "./support/signed_in_cookie.ts";
import { ProviderService } from "./support/provider_service.ts";
import { say } from "./support/widget_calls.ts";

Deno.test("/home and /usage: the error count links to every failed run, also those that no model accepted", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const { service } = on;
  const headers = { cookie: await signedInCookie(service) };
  const html = async (path: string) => await (await service.fetch(path, { headers })).text();
  const agent = await on.agent("vendor_a", { name: "Shop assistant" });
  const ask = (text: string, conversationId?: string) =>
    on.send(agent, { messages: [say(text)], ...(conversationId && { conversationId }) });
  const conversationOf = async (stream: Response) => {
    const start = (await readFrames(stream))[0]?.frame;
    assert(start?.type === "start");
    return start.conversationId;
  };

  const completed = await conversationOf(await ask("All is well"));
  mock.next({ say: [{ text: "Half an ans" }, { error: "overloaded" }], end: "none" });
  const interrupted = await conversationOf(await ask("Cut in the middle"));
  // This run, which no model accepts, joins the interrupted one: two errors in one conversation.
  mock.next({ status: 401 });
  assertEquals((await ask("Never accepted", interrupted)).status, 502);
  mock.next({ status: 401 });
  assertEquals((await ask("Rejected at once")).status, 502);

  for (const [page, label] of [["/home", "Runs failed"], ["/usage", "Errors"]] as const) {
    const link = new RegExp(`<dt>${label}</dt><dd><a class="bad" href="([^"]+)">(3)</a>`);
    const count = link.exec(await html(page));
    assert(count, `${page} links its error count`);
    const list = await html(count[1]!.replaceAll("&amp;", "&"));
    const links = [
      ...list.matchAll(
        /href="(\/conversations\/([\w-]{36})\?[^"#]*)#(run-[\w-]{36})"[^>]*>([^<]*)</g,
      ),
    ];
    const ids = links.map(([, , id]) => id);
    // As many rows as the counter says: a conversation with two failed runs has two.
    assertEquals(ids.length, Number(count[2]));
    assertEquals([ids.filter((id) => id === interrupted).length, ids.includes(completed)], [
      2,
      false,
    ]);
    const questions = links.map(([, , , , question]) => question);
    assertEquals(questions, ["Rejected at once", "Never accepted", "Cut in the middle"]);
    for (const [, href, , runId, question] of links) {
      const page = await html(href!.replaceAll("&amp;", "&"));
      const run = new RegExp(`<article class="run" id="${runId}".*?</article>`, "s").exec(page);
      assert(run, "the row links to its run");
      assertStringIncludes(run[0], question!);
      assertStringIncludes(run[0], "The model provider returned an error.");
    }
    assertMatch(list, /<option value="failed" selected/);
  }
  assertStringIncludes(await html("/conversations?finish=error"), interrupted);
});
