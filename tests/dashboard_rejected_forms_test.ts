/** Rejected forms: what they say and which field has the focus. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Dashboard, PASSWORD, SETUP_TOKEN } from "./support/dashboard.ts";
import { agentBody, TestService } from "./support/service.ts";

type RejectedForm = [path: string, fields: Record<string, string>, first: string, title?: string];

const FORMS: RejectedForm[] = [
  [
    "/agents/new",
    { name: "A", systemPrompt: "B", model: "vendor_a/demo", maxCostUsd: "1", maxSteps: "99" },
    "maxSteps",
  ],
  ["/knowledge/new", { name: " " }, "name"],
  ["/settings/secrets/new", { name: "A", value: "tops3cret", domains: "https://x/" }, "domains"],
  ["/team/invite", { email: "nonsense", role: "viewer" }, "email"],
  ["/api-keys/new", { name: "Shop" }, "scopes"],
  ["/operator/tenants/new", { name: "T", email: "nonsense" }, "email"],
  [
    "/operator/models/model",
    { vendor: "vendor_a", model: "m", inputUsdPerMTok: "-1" },
    "inputUsdPerMTok",
  ],
  ["/operator/providers/connect/other", { baseUrl: "nonsense" }, "baseUrl"],
  ["/account", { current: PASSWORD, password: "short" }, "password"],
];

async function open() {
  const service = await TestService.start({ env: { SETUP_TOKEN } });
  return { service, owner: await Dashboard.setUp(service) };
}

/** Exactly one control has the focus: the first invalid one. */
function assertRejectedForm(
  html: string,
  { first, title }: { first: string; title: string },
): void {
  assertMatch(html, new RegExp(`<title>${title} · `));
  assertEquals(html.match(/role="alert"/g)?.length, 1);
  const focused = [...html.matchAll(/<[^>]* autofocus[^>]*>/g)].map(([tag]) => tag)
    .filter((tag) => !tag.includes('formMethod="dialog"'));
  assertEquals(focused.length, 1, focused.join("\n"));
  assertStringIncludes(focused[0]!, `id="${first}"`);
  assertStringIncludes(html, `<a href="#${first}">`);
}

Deno.test("a rejected form says so in its title and an alert, and focuses the first invalid field", async (t) => {
  const { service, owner } = await open();
  await using _ = service;
  for (const [path, fields, first, title = "Not saved"] of FORMS) {
    await t.step(path, async () => {
      const answer = await owner.post(path, fields);
      assertEquals(answer.status, 400);
      assertRejectedForm(await answer.text(), { first, title });
    });
  }
  await t.step("deleting under a wrong name", async () => {
    const agent = await service.service.agents.create(await service.tenant(), agentBody());
    const answer = await owner.post(`/agents/${agent.id}/delete`, { confirmName: "wrong" });
    assertEquals(answer.status, 400);
    assertRejectedForm(await answer.text(), { first: "confirmName", title: "Not deleted" });
  });
});

Deno.test("/setup: the invalid field has the focus, and the password's minimum length is shown once", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const visitor = new Dashboard(service);
  const fields = { token: SETUP_TOKEN, email: "a@example.com", password: "short" };
  const html = await (await visitor.post("/setup", fields)).text();
  assertRejectedForm(html, { first: "password", title: "Not saved" });
  assertEquals(html.match(/at least 10 characters/gi)?.length, 1);
});

Deno.test("a form submitted while signed out leads through sign-in, with the reason, back to its page", async () => {
  const { service } = await open();
  await using _ = service;
  const visitor = new Dashboard(service);
  const referer = `${service.url}/knowledge/new`;
  const sent = await visitor.post("/knowledge/new", { name: "Typed" }, { referer });
  const address = sent.headers.get("location")!;
  assertEquals(address, "/sign-in?next=%2Fknowledge%2Fnew&interrupted=yes");
  const html = await (await visitor.get(address)).text();
  assertStringIncludes(html, "You were signed out. Sign in to continue.");
  const account = { email: "operator@example.com", password: PASSWORD, next: "/knowledge/new" };
  const back = await visitor.post("/sign-in", account);
  assertEquals(back.headers.get("location"), "/knowledge/new");
});

Deno.test("only secret fields turn autocomplete off, so the browser can restore the others", async (t) => {
  const { service, owner } = await open();
  await using _ = service;
  for (const [path] of FORMS) {
    if (path === "/account") continue;
    await t.step(path, async () => {
      const html = (await (await owner.get(path)).text()).replace(/^.*<main/s, "");
      const off = [...html.matchAll(/<(?:input|textarea)[^>]*autocomplete="off"[^>]*>/g)];
      const names = off.map(([tag]) => /name="([^"]*)"/.exec(tag)?.[1]);
      assert(names.every((name) => name === "value" || name === "apiKey"), names.join());
    });
  }
});

Deno.test("a forbidden page and a forbidden change have different messages", async () => {
  const { service } = await open();
  await using _ = service;
  const viewer = await Dashboard.join(service, "viewer");
  const opened = await (await viewer.get("/agents/new")).text();
  assertStringIncludes(
    opened,
    "Your role does not include this page. Ask an owner of your team for access.",
  );
  const sent = await (await viewer.post("/agents/new")).text();
  assertStringIncludes(sent, "Your role does not allow this change");
});
