/** Hand-offs in the dashboard: the agent's page, the queue, and what people do. */
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { Reencryption } from "@/lib/store/reencryption/reencryption.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { TEST_ENCRYPTION_KEY } from "./support/encryption_keys.ts";
import { expectJson } from "./support/expect_response.ts";
import { FeedReader, HANDOFF, Visitor } from "./support/handoffs.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { embed } from "./support/widget_calls.ts";

async function open() {
  const clock = new ManualClock();
  const kv = await openTestKv();
  const env = { SETUP_TOKEN };
  const service = await TestService.start({ runtime: clock.runtime, kv, keepKv: true, env });
  const { key, agent, sessionToken } = await embed(service, { handoff: HANDOFF });
  const visitor = new Visitor(service, { agent, sessionToken });
  const operator = await Dashboard.setUp(service);
  const anna = await Dashboard.join(service, "admin", { name: "anna.berg" });
  const ben = await Dashboard.join(service, "admin", { name: "ben" });
  const viewer = await Dashboard.join(service, "viewer");
  await visitor.say("Where is my parcel?");
  const href = () =>
    `/conversations/${visitor.id}?agentId=${agent.id}&origin=https://shop.example.com`;
  const html = async (who: Dashboard, path = href()) => await (await who.get(path)).text();
  const post = (who: Dashboard, fields: Record<string, string>) => who.post(href(), fields);
  return {
    ...{ clock, kv, service, key, agent, visitor, operator, anna, ben, viewer, href, html, post },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      kv.close();
    },
  };
}

Deno.test("/conversations: a waiting conversation is in the queue, is taken once, and answered", async () => {
  await using fixture = await open();
  const { visitor, anna, ben, viewer, html, post, clock } = fixture;
  assertFalse((await html(anna, "/conversations")).includes("handoff-queue"));
  assertFalse((await html(anna)).includes("handoff-panel"));
  await visitor.ask();
  await clock.advance(2 * 60_000);
  const list = await html(anna, "/conversations");
  assertStringIncludes(list, "For people");
  assertStringIncludes(list, "Waiting");
  assertStringIncludes(list, "2 minutes ago");
  const page = await html(anna);
  assertStringIncludes(page, 'value="Anna"');
  assertStringIncludes(page, "The visitor asked for a person.");
  // Viewers read.
  assertFalse((await html(viewer)).includes("Take conversation"));
  assertEquals((await post(viewer, { action: "take", name: "V" })).status, 403);

  const invalid = await post(anna, { action: "take", name: "  " });
  assertEquals(invalid.status, 400);
  assertStringIncludes(await invalid.text(), "Enter a name of 1 to 60 characters.");
  const [first, second] = await Promise.all(
    [anna, ben].map((who, n) => post(who, { action: "take", name: ["Anna", "Ben"][n]! })),
  );
  const statuses = [first!.status, second!.status];
  assertEquals(statuses.toSorted(), [303, 409]);
  const [winner, loser] = first!.status === 303 ? [anna, ben] : [ben, anna];
  const beaten = await (first!.status === 303 ? second! : first!).text();
  assertStringIncludes(beaten, "someone else was faster");
  const name = winner === anna ? "Anna" : "Ben";
  assertStringIncludes(await html(loser, "/conversations"), `With ${name}`);

  await visitor.say("Are you <b>there</b>?");
  assertStringIncludes(await html(winner), "Are you &lt;b>there&lt;/b>?");
  assertEquals((await post(winner, { action: "say", text: "Yes, I am." })).status, 303);
  await using feed = await visitor.feed();
  await feed.next();
  await feed.next();
  assertEquals((await feed.next())?.data.text, "Yes, I am.");
  // Someone else cannot write, and keeps what was typed.
  const foreign = await post(loser, { action: "say", text: "Me too" });
  assertEquals(foreign.status, 409);
  assertStringIncludes(await foreign.text(), "Me too");
  const long = "x".repeat(8_001);
  const tooLong = await post(winner, { action: "say", text: long });
  assertEquals(tooLong.status, 400);
  assertStringIncludes(await tooLong.text(), long);
  assertEquals((await post(loser, { action: "return" })).status, 303);
  assertEquals((await feed.next())?.data.state, "returned");
  assertFalse((await html(anna, "/conversations")).includes("handoff-queue"));
});

Deno.test("/conversations: a left message stays in the queue until somebody closes it, and actions are audited without content", async () => {
  await using fixture = await open();
  const { visitor, anna, operator, html, post, clock } = fixture;
  await visitor.ask();
  await clock.advance(5 * 60_000);
  assertFalse((await html(anna, "/conversations")).includes("handoff-queue"));
  const contact = { email: "jo@example.com", message: "Please call" };
  assertEquals((await visitor.post("contact", contact)).status, 204);
  assertStringIncludes(await html(anna, "/conversations"), "Left a message");
  const page = await html(anna);
  assertStringIncludes(page, "jo@example.com");
  assertStringIncludes(page, "Mark as done");
  assertEquals((await post(anna, { action: "close" })).status, 303);
  assertFalse((await html(anna, "/conversations")).includes("handoff-queue"));
  await visitor.ask();
  await post(anna, { action: "take", name: "Anna" });
  await post(anna, { action: "say", text: "a zebra answer" });
  await post(anna, { action: "return" });
  const audit = await html(operator, "/audit");
  for (const phrase of ["Closed conversation", "Took conversation", "Handed back conversation"]) {
    assertStringIncludes(audit, phrase);
  }
  assertFalse(audit.includes("zebra") || audit.includes("jo@example.com"));
});

Deno.test("/conversations/:id/handoff/stream: the person sees messages and typing, until the sign-in ends", async () => {
  await using fixture = await open();
  const { service, visitor, anna, ben, post, href } = fixture;
  await visitor.ask();
  await post(anna, { action: "take", name: "Anna" });
  const [path, query] = href().split("?");
  const follow = async (who: Dashboard) =>
    new FeedReader(await who.get(`${path}/handoff/stream?${query}&after=2`));
  await using feed = await follow(anna);
  await visitor.say("Still there?");
  assertEquals((await feed.next())?.data.text, "Still there?");
  await visitor.post("typing");
  assertEquals((await feed.next())?.type, "typing");
  await using visitors = await visitor.feed();
  await visitors.next();
  await visitors.next();
  assertEquals((await anna.post(`${path}/handoff/typing?${query}`)).status, 204);
  assertEquals((await visitors.next())?.type, "typing");
  await using other = await follow(ben);
  await other.next();
  await ben.post("/sign-out");
  assertEquals(await other.next(), undefined);
  const { id: tenant } = await service.service.tenants.create("Elsewhere");
  const foreign = await Dashboard.join(service, "owner", { tenant, name: "else" });
  assertEquals((await foreign.get(`${path}/handoff/stream?${query}`)).status, 404);
  assertEquals((await foreign.post(`${path}/handoff/typing?${query}`)).status, 404);
  assertEquals((await foreign.post(`${path}?${query}`, { action: "close" })).status, 404);
});

Deno.test("/agents/:id/handoff: sets, rejects and removes the setting, and versions show it", async () => {
  await using fixture = await open();
  const { service, key, agent, anna, html } = fixture;
  const path = `/agents/${agent.id}/handoff`;
  const read = async () =>
    (await expectJson(await service.fetch(`/v1/agents/${agent.id}`, { key }), 200)).handoff;
  assertStringIncludes(await html(anna, path), HANDOFF.message);
  const fields: [string, string][] = [
    ...[["version", "1"], ["enabled", "on"], ["by", "model"], ["by", "visitor"]] as const,
    ...[["message", "We answer soon."], ["answerWithinMinutes", "10"]] as const,
    ...[["timeZone", "Europe/Berlin"], ["mon", "9:00-12:30, 13:30 – 18:00"]] as const,
  ].map(([name, value]) => [name, value]);
  const change = (of: Record<string, string>) =>
    fields.filter(([name]) => !(name in of)).concat(Object.entries(of));
  const rejected: [Record<string, string>, string][] = [
    [{ message: "" }, "Enter 1 to 500 characters."],
    [{ by: "" }, "Choose at least one."],
    [{ timeZone: "Berlin" }, "Enter a time zone such as Europe/Berlin."],
    [{ mon: "9-12" }, "Enter times such as 09:00-12:30"],
    [{ answerWithinMinutes: "0" }, "Enter a whole number from 1 to 1440"],
  ];
  for (const [of, message] of rejected) {
    const response = await anna.post(path, change(of));
    assertEquals(response.status, 400, message);
    const text = await response.text();
    assertStringIncludes(text, message);
    assertStringIncludes(text, of.mon ?? "13:30 – 18:00");
  }
  assertEquals((await anna.post(path, fields)).status, 303);
  assertEquals(await read(), {
    enabled: true,
    by: ["model", "visitor"],
    message: "We answer soon.",
    answerWithinMinutes: 10,
    businessHours: {
      timeZone: "Europe/Berlin",
      week: [
        { day: "mon", from: "09:00", to: "12:30" },
        { day: "mon", from: "13:30", to: "18:00" },
      ],
    },
  });
  assertStringIncludes(await html(anna, `/agents/${agent.id}/versions/1`), "Europe/Berlin");
  // The form of the first version does not overwrite it.
  const stale = await anna.post(path, change({ message: "Other" }));
  assertEquals(stale.status, 412);
  assertStringIncludes(await stale.text(), "Someone else changed this agent");
  assertEquals((await anna.post(path, [["version", "2"]])).status, 303);
  assertEquals(await read(), undefined);
});

Deno.test("secrets reencrypt: what people wrote is sealed with the new key", async () => {
  await using fixture = await open();
  const { visitor, anna, post, kv } = fixture;
  await visitor.ask();
  await post(anna, { action: "take", name: "Anna" });
  await post(anna, { action: "say", text: "kept" });
  const next = btoa("n".repeat(32));
  const runtime = {
    now: () => Date.UTC(2026, 0, 15, 12),
    randomBytes: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
  };
  const { changed, unreadable } = await new Reencryption(kv, {
    ...{ encryptionKeys: [next, TEST_ENCRYPTION_KEY], runtime },
  }).run();
  assertEquals([changed["messages of hand-offs"], unreadable], [3, {}]);
  await using again = await TestService.start({
    kv,
    keepKv: true,
    encryptionKeys: [next],
    runtime: { now: runtime.now },
  });
  const tenant = await again.tenant();
  const place = await again.service.handoffs.locate(tenant, visitor.id, {});
  const { entries } = (await again.service.handoffs.read(place!.name))!;
  const last = entries.at(-1);
  assert(last?.type === "person" && last.text === "kept");
});
