/** The dashboard in another language: no text is missing, and none goes past the translation. */
import { setImmediate } from "node:timers";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import german from "@/lib/dashboard/texts/german.json" with { type: "json" };
import { pageMethodsOf } from "@/lib/http/page_methods.ts";
import { withBrowser } from "./support/browser.ts";
import { Dashboard, PASSWORD, SETUP_TOKEN } from "./support/dashboard.ts";
import { dashboardTexts, placeholdersOf } from "./support/dashboard_texts.ts";
import { ownerContext } from "./support/owner.ts";
import { serviceWithReports } from "./support/reports.ts";
import { addressOf, patternOf, routeFiles } from "./support/route_files.ts";
import { addAuthenticatorApp } from "./support/second_factor.ts";
import { TestService } from "./support/service.ts";
import { replaceTexts } from "./support/replace_texts.ts";

const CATALOGUE: Record<string, string> = {
  ...german.pages,
  ...german.scripts,
  ...german.messages,
};

Deno.test("german.json: has every text of the dashboard, and no other", async () => {
  const { all, ofScripts } = await dashboardTexts();
  assert(all.size > 1_000, "the source is read");
  assertEquals([...all].filter((text) => !Object.hasOwn(CATALOGUE, text)), [], "missing");
  const ofDashboard = Object.keys({ ...german.pages, ...german.scripts });
  assertEquals(ofDashboard.filter((text) => !all.has(text)), [], "unused");
  const inScripts = new Set(Object.keys(german.scripts));
  assertEquals([...ofScripts].filter((text) => !inScripts.has(text)), [], "missing in scripts");
  assertEquals([...inScripts].filter((text) => !ofScripts.has(text)), [], "not shown by scripts");
});

Deno.test("german.json: each text has the placeholders of the English one", () => {
  for (const [english, text] of Object.entries(CATALOGUE)) {
    assertEquals(placeholdersOf(text), placeholdersOf(english), english);
    assert(text.trim() !== "", english);
  }
});

/** What pages show as it is: names, data of the fixture, formatted values. */
const UNTRANSLATED = [
  /^(Agent Chat|English|Deutsch|Español|Français|Italiano|Nederlands|Polski|Português|Türkçe)$/,
  /^\W*API\W*(Shop assistant)?$/,
  /^(Anthropic|Azure OpenAI|DeepSeek|Google Gemini|Groq|LM Studio|Mistral|Ollama|OpenAI)$/,
  /^(OpenAI-compatible|OpenRouter|Together AI|vLLM|Node|Deno|PHP|Python|Ruby|WordPress|Go)$/,
  /^\W*(Shop assistant|Demo agent|Default|Be helpful\.|test|mid|demo|\w+@example\.com)$/,
  /^\W*provider_error$|^\(vendor_\w\)$|^chat-session\.mjs$/,
  /^[\w.:/-]*\d[\w.:/-]*$|^[a-z]+[A-Z.]\w*(\.\w+)*$|^https?:|^vendor_\w\/\w+$/,
  // The excerpt of what was typed.
  /^“x+…” \.$/,
  // Dates, amounts and languages by `Intl`.
  /^\d+\. (Jan|Dez)\.(: .*)?$|^[\d.]+, \d\d:\d\d UTC$|^\d{4}-\d\d-\d\d|^in \d+ (Stunden|Tagen)$|^\d[\d.,]* (MiB|KiB)$/,
  /isch$|^(Hindi|Tamil)$/,
];
/** Pages that show stored values and codes. */
const DATA_PAGES = ["/audit", "/operator/status"];

Deno.test("every text of every page goes through the translation", async (t) => {
  await using reports = await serviceWithReports();
  const { service, cookie } = reports;
  const { addresses } = await fixture(reports);
  using _ = markedTexts();
  for (const path of addresses) {
    await t.step(path.replace(/[0-9a-f-]{36}/g, ":id"), async () => {
      const isPublic = ["/setup", "/sign-in"].includes(path);
      const answer = await service.fetch(path, { headers: isPublic ? {} : { cookie } });
      assertEquals(answer.status, path === NOWHERE ? 404 : 200);
      assertEquals(untranslated(await answer.text()), []);
    });
  }
});

Deno.test("every message of a rejected form goes through the translation", async (t) => {
  await using reports = await serviceWithReports();
  const { service, cookie } = reports;
  const { addresses } = await fixture(reports);
  using _ = markedTexts();
  let rejected = 0;
  for (const path of addresses) {
    const page = await service.fetch(path, { headers: { cookie } });
    for (const form of formsOf(await page.text(), path)) {
      await t.step(`${form.action} on ${path}`.replace(/[0-9a-f-]{36}/g, ":id"), async () => {
        for (const value of ["", `${"x".repeat(20_000)} \0<`]) {
          const body = new URLSearchParams(
            form.fields.map(([name, given]) => [name, given ?? value]),
          );
          const headers = { cookie, origin: service.url };
          const answer = await service.fetch(form.action, { method: "POST", body, headers });
          const html = await answer.text();
          if (answer.status < 400 || answer.status === 405) continue;
          rejected++;
          assertEquals(untranslated(html), []);
        }
      });
    }
  }
  assert(rejected > 20, `${rejected} rejected forms`);
});

Deno.test("every message of a rejected set-up and sign-in goes through the translation", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const visitor = new Dashboard(service);
  const reject = async (path: string, fields: Record<string, string>) => {
    const answer = await visitor.post(path, fields);
    assert(answer.status >= 400, `${answer.status}`);
    assertEquals(untranslated(await answer.text()), []);
  };
  const account = { token: SETUP_TOKEN, email: "operator@example.com" };
  {
    using _ = markedTexts();
    for (
      const password of ["", "short", "password123", "operator@example.com", "x".repeat(1_025)]
    ) {
      await reject("/setup", { ...account, password });
    }
    await reject("/setup", { ...account, token: "wrong", password: PASSWORD });
    await reject("/setup", { ...account, email: "", password: PASSWORD });
  }
  await Dashboard.setUp(service);
  using _ = markedTexts();
  await reject("/sign-in", { email: account.email, password: "wrong" });
  await reject("/join", { token: "gone", password: "short" });
  await reject("/reset-password", { token: "gone", password: "short" });
});

/** Marks what has a translation, so that a text that is not in the catalogue is found too. */
function markedTexts(): Disposable {
  return replaceTexts({
    language: () => "de",
    find: (text) => Object.hasOwn(CATALOGUE, text) ? `⟦${text}⟧` : undefined,
  });
}

/** The forms of a page that change something and can be rejected; a typed field has no value. */
function formsOf(html: string, path: string) {
  const others =
    /\/(sign-out|language|theme|dismiss|read-again|delete|revoke|rotate|remove|share)$/;
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)]
    .map(([, attributes = "", inner = ""]) => ({
      method: /\bmethod="(\w+)"/.exec(attributes)?.[1],
      action: /\baction="([^"]*)"/.exec(attributes)?.[1]?.replaceAll("&amp;", "&") || path,
      fields: fieldsOf(inner),
    }))
    .filter(({ method, action }) => method === "post" && !others.test(action));
}

function fieldsOf(form: string): [name: string, value: string | undefined][] {
  return [...form.matchAll(/<(input|textarea|select|button)\b([^>]*)>/g)].flatMap(
    ([, tag, attributes = ""]) => {
      const read = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
      const [name, type] = [read("name"), read("type")];
      if (name === undefined || (type === "radio" && !/\bchecked\b/.test(attributes))) return [];
      const isTyped = tag !== "button" && type !== "hidden" && type !== "radio" &&
        type !== "checkbox";
      return [[name, isTyped ? undefined : read("value") ?? ""] as [string, string | undefined]];
    },
  );
}

/** A server to connect, and why it could not be. */
const MCP = "/settings/mcp?url=https%3A%2F%2Fa1.example%2Fmcp&problem=no_registration";

/** Shows the error page. */
const NOWHERE = "/nowhere";

/** A service with one of each resource, and the pages that show them. */
async function fixture(
  { service, cookie, agent, first }: Awaited<ReturnType<typeof serviceWithReports>>,
) {
  const tenant = await service.tenant();
  await addAuthenticatorApp(service, cookie.slice("dashboard=".length));
  const { knowledge, documents, secrets, apiKeys, team, feedback, rehearsals, ...others } =
    service.service;
  const { webSources, crawls } = others;
  const rated = (await feedback.findEndedRun(tenant, first.runId))!;
  const reasons = ["incorrect", "incomplete", "off_topic", "tone", "other"];
  await feedback.rate(rated, { rating: "down", comment: "Shop assistant", reasons });
  const base = await knowledge.create(tenant, { name: "Shop assistant" });
  const bytes = new TextEncoder().encode("Hallo.");
  const upload = { title: "Shop assistant", mediaType: "text/plain" as const, bytes };
  const document = await knowledge.addDocument({ tenant, base: base.id }, upload);
  await documents.whenIdle();
  const site = { url: "https://127.0.0.1:9/", kind: "page" };
  const source = await webSources.create({ tenant, base: base.id }, site);
  await crawls.whenIdle();
  await secrets.set(tenant, { name: "CRM_KEY_1", value: "tops3cret", domains: ["a1.example"] });
  const key = await apiKeys.create(tenant, { name: "test", scopes: ["agents:read"] });
  const invited = await team.invite(tenant, { email: "new@example.com", role: "viewer" });
  assert("invitation" in invited);
  const [member] = await team.members(tenant);
  const rehearsal = await rehearsals.start(
    { tenant, agentId: agent.id, source: { kind: "user", id: member!.id } },
    { budgetUsd: 1 },
  );
  const { testCases, testRunReader, testRuns, testSets } = others;
  const set = await testSets.create(tenant, { name: "Shop assistant", agentId: agent.id });
  const expectations = [{ type: "contains", text: "Shop assistant" }, {
    type: "not_contains",
    text: "x",
  }];
  const added = await testCases.add({ tenant, id: set.id }, {
    cases: [{ name: "Shop assistant", question: "test", expectations }],
  });
  const tested = { tenant, set: set.id, source: { kind: "user" as const, id: member!.id } };
  const runs = [await testRuns.start(tested, {}), await testRuns.start(tested, {})];
  for (const { id } of runs) {
    while ((await testRunReader.read({ tenant, set: set.id, id })).state === "running") {
      await new Promise((wake) => setImmediate(wake));
    }
  }
  const ids: Record<string, Record<string, string>> = {
    agents: { id: agent.id, n: "1", rehearsalId: rehearsal.id },
    "api-keys": { id: key.apiKey.id },
    conversations: { id: first.conversationId },
    unanswered: { runId: first.runId },
    knowledge: { id: base.id, documentId: document.id, sourceId: source.id },
    secrets: { name: "CRM_KEY_1" },
    invitations: { id: invited.invitation.id },
    team: { id: member!.id },
    tenants: { id: tenant },
    operators: { id: member!.id },
    providers: { provider: "vendor_a" },
    connect: { preset: "openai" },
    "test-sets": { id: set.id, caseId: added.ids[0]!, testRunId: runs[1]!.id },
  };
  const isPage = (file: string) =>
    /^\(admin\)/.test(file) && file.endsWith(".tsx") &&
    pageMethodsOf(patternOf(file)).includes("GET");
  const pages = routeFiles().filter(isPage).map((file) => {
    const kind = Object.keys(ids).findLast((name) => file.includes(`/${name}/[`));
    return addressOf(file, kind === undefined ? {} : ids[kind]);
  });
  // These need more than an id, or are not the dashboard's own pages.
  const special =
    /\/(delete|preview|models|model|documents|visitor-limits|leave|join)$|\/providers\/vendor_a|\/remove$/;
  const addresses = pages.filter((path) => !special.test(path) && !DATA_PAGES.includes(path));
  assert(addresses.length > 35, `${addresses.length} pages`);
  return { addresses: [...addresses, "/home?setup", "/conversations?finish=failed", MCP, NOWHERE] };
}

/** The words of a page outside the marks of the translation. */
function untranslated(html: string): string[] {
  const body = html.slice(html.indexOf("<body"))
    .replace(/<(code|pre|kbd|script|style|textarea|bdi)\b[^>]*>[\s\S]*?<\/\1>/g, "")
    .replace(/<(\w+)[^>]*\bdir="auto"[^>]*>[\s\S]*?<\/\1>/g, "")
    .replace(/<!--.*?-->/gs, "");
  const attributes = body.matchAll(/ (?:aria-label|title|placeholder|alt)="([^"]*)"/g);
  // A mark may span elements, so they are taken away last.
  const texts = withoutMarks(body.replace(/<[^>]*>/g, "\n")).split("\n");
  const found = [...texts, ...[...attributes].map(([, text]) => withoutMarks(text!))]
    .map((text) => text.replace(/&\w+;|&#\d+;/g, " ").replace(/\s+/g, " ").trim())
    .filter((text) => /[A-Za-z]{3,}/.test(text));
  return [...new Set(found)].filter((text) => !UNTRANSLATED.some((known) => known.test(text)));
}

function withoutMarks(text: string): string {
  const inner = /⟦[^⟦⟧]*⟧/g;
  let left = text;
  while (inner.test(left)) left = left.replace(inner, "");
  return left;
}

Deno.test("the dashboard speaks the browser's language, until the user chooses another", async () => {
  await using service = await TestService.start();
  const context = await ownerContext(service);
  await withBrowser(async (browser) => {
    const german = await browser.newContext({
      ...{ ...context, baseURL: service.url, locale: "de-DE" },
    });
    const page = await german.newPage();
    await page.goto("/agents");
    assertEquals(await page.locator("html").getAttribute("lang"), "de");
    await page.getByRole("heading", { name: "Agenten" }).waitFor();
    // Texts of scripts come with the page.
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Alles durchsuchen" }).fill("zzz");
    await page.getByText("Nichts gefunden.").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("summary", { hasText: "Kontomenü" }).click();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    await page.goto("/team");
    await page.getByRole("heading", { name: "Team" }).waitFor();
    assertEquals(await page.locator("html").getAttribute("lang"), "en");
    await german.close();
  });
});

Deno.test("POST /account/language: a cookie for a year, back to the page, and only known languages", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(service);
  const referer = `${service.url}/agents?q=x`;
  const answer = await owner.post("/account/language", { language: "de" }, { referer });
  assertEquals([answer.status, answer.headers.get("location")], [303, "/agents?q=x"]);
  const cookie = answer.headers.get("set-cookie") ?? "";
  assertStringIncludes(cookie, "language=de");
  assertStringIncludes(cookie, "HttpOnly");
  assertEquals((await owner.post("/account/language", { language: "xx" })).status, 400);
});
