/** Every run that the dashboard counts as an error is in a conversation that the count leads to. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFrames } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { signedInCookie } from "./support/signed_in_cookie.ts";
import { ProviderService } from "./support/provider_service.ts";
import { say } from "./support/widget_calls.ts";

Deno.test("the counts of errors lead to the failed runs, also to those that no model accepted", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const { service } = on;
  const headers = { cookie: await signedInCookie(service) };
  const html = async (path: string) => await (await service.fetch(path, { headers })).text();
  const agent = await on.agent("vendor_a", { name: "Shop assistant" });
  const ask = (words: string, conversationId?: string) =>
    on.send(agent, { messages: [say(words)], ...(conversationId && { conversationId }) });
  const conversationOf = async (stream: Response) => {
    const start = (await readFrames(stream))[0]?.frame;
    assert(start?.type === "start");
    return start.conversationId;
  };

  const well = await conversationOf(await ask("All is well"));
  mock.next({ say: [{ text: "Half an ans" }, { error: "overloaded" }], end: "none" });
  const broken = await conversationOf(await ask("Cut in the middle"));
  // In one conversation a run that no model accepts, after one that broke off: two errors, one entry.
  mock.next({ status: 401 });
  assertEquals((await ask("Never accepted", broken)).status, 502);
  mock.next({ status: 401 });
  assertEquals((await ask("Refused at once")).status, 502);

  for (const page of ["/home", "/usage"]) {
    const count = /<dt>Errors<\/dt><dd><a class="bad" href="([^"]+)">3<\/a>/.exec(await html(page));
    assert(count, `no link at the errors of ${page}`);
    const list = await html(count[1]!.replaceAll("&amp;", "&"));
    const links = [...list.matchAll(/href="(\/conversations\/([\w-]{36})\?[^"]*)"/g)];
    const ids = links.map(([, , id]) => id);
    assertEquals([ids.length, ids.includes(broken), ids.includes(well)], [2, true, false]);
    const pages = await Promise.all(links.map(([, href]) => html(href!.replaceAll("&amp;", "&"))));
    const runs = pages.join("").match(/<article class="card run".*?<\/article>/gs) ?? [];
    const failed = runs.filter((run) => run.includes("provider_error"));
    assertEquals(failed.length, 3);
    for (const words of ["Cut in the middle", "Never accepted", "Refused at once"]) {
      assert(failed.some((run) => run.includes(words)), words);
    }
    assertMatch(list, /<option value="failed" selected/);
  }
  assertStringIncludes(await html("/conversations?finish=error"), broken);
});
