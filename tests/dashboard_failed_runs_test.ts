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
    const link = new RegExp(`<dt>${label}</dt><dd><a class="bad" href="([^"]+)">3</a>`);
    const count = link.exec(await html(page));
    assert(count, `${page} links its error count`);
    const list = await html(count[1]!.replaceAll("&amp;", "&"));
    const links = [...list.matchAll(/href="(\/conversations\/([\w-]{36})\?[^"]*)"/g)];
    const ids = links.map(([, , id]) => id);
    assertEquals([ids.length, ids.includes(interrupted), ids.includes(completed)], [
      2,
      true,
      false,
    ]);
    const pages = await Promise.all(links.map(([, href]) => html(href!.replaceAll("&amp;", "&"))));
    const runs = pages.join("").match(/<article class="card run".*?<\/article>/gs) ?? [];
    const failed = runs.filter((run) => run.includes("provider_error"));
    assertEquals(failed.length, 3);
    for (const text of ["Cut in the middle", "Never accepted", "Rejected at once"]) {
      assert(failed.some((run) => run.includes(text)), text);
    }
    assertMatch(list, /<option value="failed" selected/);
  }
  assertStringIncludes(await html("/conversations?finish=error"), interrupted);
});
