import { assertEquals, assertRejects } from "@std/assert";
import { EgressServer, type SeenRequest } from "../../tests/support/egress_server.ts";
import { agentOf } from "../../tests/support/agents.ts";
import { fakeUuid } from "../../tests/support/fake_runtime.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { LimitError } from "../billing/limit_error.ts";
import { ScriptReleaseStore } from "../store/script_release_store.ts";
import { SessionStore } from "../store/credentials/session_store.ts";
import { systemRuntime } from "../platform/runtime.ts";
import type { DoctorCheck } from "../schemas/doctor.ts";
import { describeScript } from "../store/script_bundle.ts";
import { Doctor } from "./doctor.ts";

const ORIGIN = "https://shop.example.com";
const BASE = "https://chat.test";
const CDN = "https://cdn.test";
const TENANT = fakeUuid(801);
const POLICY = `default-src 'none'; script-src ${CDN}; connect-src ${BASE}`;

/** A doctor with a clock that the test moves, and one site it may fetch. */
async function setUp(site: (seen: SeenRequest) => Response = () => new Response("")) {
  let now = Date.UTC(2026, 0, 15, 12);
  const runtime = { ...systemRuntime, now: () => now };
  const kv = await Deno.openKv(":memory:");
  const server = new EgressServer(site);
  const committer = new GroupCommitter(kv, { runtime });
  const releases = new ScriptReleaseStore(kv, runtime);
  const sessions = new SessionStore(kv, runtime);
  const widget = await describeScript(new TextEncoder().encode("widget"));
  await releases.publish("widget", widget);
  const agent = agentOf({ allowedOrigins: [ORIGIN, "http://localhost:3000"] });
  const { egress } = server;
  const { integrity, hash12 } = widget;
  const panel = { name: "widget-panel.v1.0123456789ab.js", integrity: "sha384-panel" };
  const extras = { name: "widget-extras.v1.0123456789ab.js", integrity: "sha384-extras" };
  const embed = { baseUrl: BASE, scriptBase: CDN, integrity, hash12, panel, extras };
  const { signal } = new AbortController();
  const deps = { egress, committer, releases, sessions, runtime, embed, signal };
  const doctor = new Doctor(deps);
  const { sessionToken } = await sessions.mint(TENANT, { agentId: agent.id, origin: ORIGIN });
  const tag = tagOf({
    "src": `${CDN}/widget.v1.js`,
    "integrity": widget.integrity,
    "crossorigin": "anonymous",
    "data-service-widget": "",
    "data-api-base": BASE,
    "data-agent-id": agent.id,
    "data-session-token": sessionToken,
  });
  const diagnose = async (options: { origin?: string; tag?: string } = {}) =>
    await doctor.diagnose(TENANT, agent, { origin: ORIGIN, ...options });
  /** Reasons of the checks that did not pass. */
  const problems = async (options?: { origin?: string; tag?: string }) => {
    const { findings } = await diagnose(options);
    const wrong = findings.filter(({ verdict }) => verdict !== "pass");
    return Object.fromEntries<string>(wrong.map(({ check, reason }) => [check, reason]));
  };
  const advance = (ms: number) => now += ms;
  const page = (html: string, headers: Record<string, string> = {}) =>
    new Response(html, {
      headers: { "content-type": "text/html", "date": new Date(now).toUTCString(), ...headers },
    });
  const end = async () => {
    await server[Symbol.asyncDispose]();
    kv.close();
  };
  return { diagnose, problems, tag, agent, sessions, server, advance, page, widget, releases, end };
}

function tagOf(attributes: Record<string, string>): (change?: Change) => string {
  return (change = {}) => {
    const all = Object.entries({ ...attributes, ...change }).filter(([, value]) => value !== null);
    return `<script ${all.map(([name, value]) => `${name}="${value}"`).join("\n ")}></script>`;
  };
}
type Change = Record<string, string | null>;

/** Runs `use` with a site that responds with `answer`. */
async function withSite(
  answer: (t: Awaited<ReturnType<typeof setUp>>, seen: SeenRequest) => Response,
  use: (t: Awaited<ReturnType<typeof setUp>>) => Promise<void>,
) {
  const t: Awaited<ReturnType<typeof setUp>> = await setUp((seen) => answer(t, seen));
  await use(t).finally(t.end);
}

Deno.test("Doctor: a correct page passes every check, and the snippets hold nothing of it", async () => {
  const right = (t: { page: Awaited<ReturnType<typeof setUp>>["page"]; tag: () => string }) =>
    t.page(
      `<!doctype html><!-- <script data-service-widget> --><title><script></title>
      <body>${t.tag()}`,
      { "content-security-policy": POLICY },
    );
  await withSite(right, async (t) => {
    assertEquals(await t.problems(), {});
    const { lines } = await t.diagnose();
    assertEquals(lines.csp, `script-src ${CDN}; connect-src ${BASE}`);
    assertEquals(lines.tag.includes(t.widget.integrity) && !lines.tag.includes("cs_"), true);
    assertEquals(t.server.seen[0]?.headers.get("authorization"), null);
  });
});

Deno.test("Doctor: each problem of a tag has its own reason", async () => {
  const cases: [DoctorCheck, string, Change][] = [
    ["tag", "marker_missing", { "data-service-widget": null }],
    ["tag", "script_elsewhere", { "src": "https://evil.test/widget.v1.js" }],
    ["tag", "api_base_differs", { "data-api-base": "https://other.test" }],
    ["tag", "agent_differs", { "data-agent-id": fakeUuid(1) }],
    ["mixed_content", "mixed_content", { "data-session-endpoint": "http://shop.example.com/s" }],
    ["integrity", "integrity_missing", { "integrity": null }],
    ["integrity", "integrity_stale", { "integrity": `sha384-${"A".repeat(64)}` }],
    ["integrity", "crossorigin_missing", { "crossorigin": null }],
    ["integrity", "release_gone", { "src": `${CDN}/widget.v1.0123456789ab.js` }],
    ["token", "token_missing", { "data-session-token": null }],
    ["token", "token_unknown", { "data-session-token": "cs_not_minted_here" }],
    ["token", "api_key_in_page", { "data-key": `ck_live_12345678_${"a".repeat(32)}` }],
  ];
  for (const [check, reason, change] of cases) {
    await withSite(() => new Response(null, { status: 500 }), async (t) => {
      const problems = await t.problems({ tag: t.tag(change) });
      const others = check === "tag" && reason === "script_elsewhere"
        ? { integrity: "no_tag" }
        : {};
      assertEquals(problems, { csp: "only_tag", clock: "only_tag", [check]: reason, ...others });
    });
  }
});

Deno.test("Doctor: a token of another agent, tenant or origin fails, and an expired one", async () => {
  await withSite(() => new Response(null, { status: 500 }), async (t) => {
    const reason = async (token: string) =>
      (await t.problems({ tag: t.tag({ "data-session-token": token }) })).token;
    const mint = async (bound: { agentId: string; origin: string }, tenant = TENANT) =>
      (await t.sessions.mint(tenant, bound)).sessionToken;
    const own = { agentId: t.agent.id, origin: ORIGIN };
    assertEquals(await reason(await mint(own, fakeUuid(802))), "token_unknown");
    assertEquals(await reason(await mint({ ...own, agentId: fakeUuid(2) })), "token_other_agent");
    const elsewhere = await mint({ ...own, origin: "https://other.example.com" });
    assertEquals(await reason(elsewhere), "token_other_origin");
    const app = await t.sessions.mint(TENANT, { ...own, native: true, origin: "native-app" });
    assertEquals(await reason(app.sessionToken), "token_native_app");
    const token = await mint(own);
    assertEquals(await reason(token), undefined);
    t.advance(15 * 60_000);
    assertEquals(await reason(token), "token_expired");
  });
});

Deno.test("Doctor: the token of a bound session fails unless the tag has data-bind", async () => {
  await withSite(() => new Response(null, { status: 500 }), async (t) => {
    const own = { agentId: t.agent.id, origin: ORIGIN };
    const { sessionToken } = await t.sessions.mint(TENANT, { ...own, bind: true });
    const reason = async (attributes: Record<string, string>) => {
      const tag = t.tag({ "data-session-token": sessionToken, ...attributes });
      return (await t.problems({ tag })).token;
    };
    assertEquals(await reason({}), "token_bound");
    assertEquals(await reason({ "data-bind": "off" }), "token_bound");
    assertEquals(await reason({ "data-bind": "on" }), undefined);
  });
});

Deno.test("Doctor: a policy that blocks what the widget needs fails with its reason", async () => {
  const cases: [string, string | undefined][] = [
    ["default-src 'self'", "policy_scripts"],
    [`script-src ${CDN}; connect-src 'self'`, "policy_connections"],
    [`default-src https:`, undefined],
    [`script-src 'strict-dynamic' https:; connect-src *`, "policy_scripts"],
    [`script-src *.test; connect-src https://chat.test/v1/`, undefined],
    [`script-src ${CDN}:8443; connect-src *`, "policy_scripts"],
    [`script-src ${CDN}/widget.v1.js; connect-src *`, "policy_panel"],
    [`script-src ${CDN}/widget.v1.js 'sha384-panel'; connect-src *`, "policy_extras"],
    [`script-src ${CDN}/widget.v1.js 'sha384-panel' 'sha384-extras'; connect-src *`, undefined],
    [`sandbox allow-forms; default-src *`, "policy_sandbox"],
    [`default-src *, script-src 'none'`, "policy_scripts"],
  ];
  for (const [policy, reason] of cases) {
    const header = { "content-security-policy": policy };
    await withSite((t) => t.page(t.tag(), header), async (t) => {
      assertEquals((await t.problems()).csp, reason, policy);
    });
    const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
    await withSite((t) => t.page(meta + t.tag()), async (t) => {
      assertEquals((await t.problems()).csp, reason, policy);
    });
  }
});

Deno.test("Doctor: the site's clock is compared, minus the age of a cached page", async () => {
  const late = { date: new Date(Date.UTC(2026, 0, 15, 11, 58)).toUTCString() };
  await withSite((t) => t.page(t.tag(), late), async (t) => {
    assertEquals(await t.problems(), { clock: "clock_wrong" });
  });
  await withSite((t) => t.page(t.tag(), { ...late, age: "120" }), async (t) => {
    assertEquals(await t.problems(), {});
  });
});

Deno.test("Doctor: only https pages on the agent's origins are fetched", async () => {
  await withSite((t) => t.page(t.tag()), async (t) => {
    assertEquals(
      (await t.problems({ origin: "https://other.example.com" })).origin,
      "origin_not_listed",
    );
    assertEquals(
      (await t.problems({ origin: "https://shop.example.com/a" })).origin,
      "origin_malformed",
    );
    assertEquals((await t.problems({ origin: "http://localhost:3000" })).tag, "not_read");
    assertEquals(t.server.seen, []);
    assertEquals((await t.problems({ origin: "https://Shop.example.com:443" })).origin, undefined);
    assertEquals(t.server.seen.length, 1);
  });
});

Deno.test("Doctor: redirects stay within the origin, and only HTML is read", async () => {
  const to = (location: string) => new Response(null, { status: 302, headers: { location } });
  const inside = (t: { page: (html: string) => Response; tag: () => string }, seen: SeenRequest) =>
    seen.url.endsWith("/en") ? t.page(t.tag()) : to("/en");
  await withSite(inside, async (t) => assertEquals(await t.problems(), {}));
  const answers = [
    () => to("https://www.example.com/"),
    () => to("http://shop.example.com/"),
    () => to("/"),
    () => new Response("x", { headers: { "content-type": "application/json" } }),
    () => new Response("x", { status: 404, headers: { "content-type": "text/html" } }),
  ];
  for (const answer of answers) {
    await withSite(answer, async (t) => assertEquals((await t.problems()).tag, "not_read"));
  }
});

Deno.test("Doctor: only the first 512 KiB of a page are read", async () => {
  const filler = "<p>".padEnd(600 * 1024, "x");
  await withSite(
    (t) => t.page(t.tag() + filler),
    async (t) => assertEquals(await t.problems(), {}),
  );
  await withSite((t) => t.page(filler + t.tag()), async (t) => {
    assertEquals((await t.problems()).tag, "tag_not_found");
  });
});

Deno.test("Doctor: the seventh call in a minute is rejected without a fetch", async () => {
  await withSite((t) => t.page(t.tag()), async (t) => {
    for (let n = 0; n < 6; n++) await t.diagnose();
    const { rejection } = await assertRejects(() => t.diagnose(), LimitError);
    assertEquals([rejection.scope, rejection.limit, t.server.seen.length], ["key", 6, 6]);
    t.advance(60_001);
    await t.diagnose();
  });
});
