/** Where a user is signed in: the list, ending one, and notices of new devices. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Dashboard, PASSWORD, SETUP_TOKEN } from "./support/dashboard.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { shownText } from "./support/shown_text.ts";

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0";
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 " +
  "(KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1";

async function start() {
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const kv = await openTestKv();
  const env = { SETUP_TOKEN, TRUSTED_PROXY_HOPS: "1" };
  const service = await TestService.start({ kv, env, runtime: { now: () => clock.ms } });
  await Dashboard.setUp(service);
  return { clock, kv, service };
}

/** A browser of `member@example.com`, who has an account. */
class Browser {
  readonly #service: TestService;
  readonly #headers: Record<string, string>;
  #cookies = new Map<string, string>();

  constructor(
    service: TestService,
    { agent = FIREFOX, address = "203.0.113.7" }: { agent?: string; address?: string } = {},
  ) {
    this.#service = service;
    this.#headers = { "user-agent": agent, "x-forwarded-for": address };
  }

  async get(path: string): Promise<string> {
    const answer = await this.#service.fetch(path, { headers: this.#all() });
    this.#keep(answer);
    return answer.status === 200 ? shownText(await answer.text()) : await place(answer);
  }

  async post(path: string, fields: Record<string, string>): Promise<string> {
    const headers = {
      ...this.#all(),
      origin: this.#service.url,
      referer: `${this.#service.url}/agents`,
    };
    const body = new URLSearchParams(fields);
    const answer = await this.#service.fetch(path, { method: "POST", body, headers });
    this.#keep(answer);
    return await place(answer);
  }

  async signIn(): Promise<void> {
    const form = { email: "member@example.com", password: PASSWORD, next: "/agents" };
    assertEquals(await this.post("/sign-in", form), "303 /agents");
  }

  /** The value of the hidden field of this name on a page, the n-th. */
  async hidden(path: string, name: string, n = 0): Promise<string> {
    const answer = await this.#service.fetch(path, { headers: this.#all() });
    const html = await answer.text();
    return [...html.matchAll(new RegExp(`name="${name}" value="([^"]+)"`, "g"))][n]![1]!;
  }

  #all(): Record<string, string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return { ...this.#headers, cookie };
  }

  #keep(answer: Response): void {
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.#cookies.set(name!, value!);
    }
  }
}

async function place(answer: Response): Promise<string> {
  await answer.body?.cancel();
  return `${answer.status} ${answer.headers.get("location") ?? ""}`.trim();
}

Deno.test("an account lists its sessions with device, network and last use, and ends one", async () => {
  const { clock, kv, service } = await start();
  await using _ = service;
  await Dashboard.join(service, "viewer", { name: "member" });
  const laptop = new Browser(service);
  const phone = new Browser(service, { agent: IPHONE, address: "2001:db8:1:2:3::4" });
  await laptop.signIn();
  clock.ms += 3_600_000;
  await phone.signIn();
  clock.ms += 3 * 3_600_000;
  const page = await laptop.get("/account");
  assertStringIncludes(page, "Firefox, Windows");
  assertStringIncludes(page, "203.0.113.0/24");
  assertStringIncludes(page, "Safari, iPhone");
  assertStringIncludes(page, "2001:db8:1:2::/64");
  const stored = Deno.inspect(await Array.fromAsync(kv.list({ prefix: ["sign_in_details"] })));
  assert(!stored.includes("203.0.113.7") && !stored.includes("Mozilla"), stored);
  assertEquals((await laptop.get("/agents")).includes("303"), false);

  // Another network, and a use that is not stored because it is too soon.
  const own = await laptop.hidden("/account", "session");
  assertEquals(await phone.get("/home").then((text) => text.startsWith("303")), false);
  assertEquals(
    await laptop.post("/account", { action: "end_session", session: own }),
    "303 /account?notice=session_ended",
  );
  assertEquals(await phone.get("/agents"), "303 /sign-in?next=%2Fagents");
  assert(!(await laptop.get("/account")).includes("Safari, iPhone"));
  assert((await laptop.get("/account")).includes("Firefox, Windows"));
});

Deno.test("nobody ends a session of somebody else", async () => {
  const { service } = await start();
  await using _ = service;
  await Dashboard.join(service, "viewer", { name: "member" });
  const victim = new Browser(service);
  await victim.signIn();
  const other = await Dashboard.join(service, "owner", { name: "other" });
  const user = (await service.service.signIn.authenticate(other.cookie.split("=")[1]!))!;
  const members = await service.service.team.members(user.tenant);
  const { id } = members.find(({ email }) => email === "member@example.com")!;
  const sessions = await service.service.ownSessions.list({
    ...{ ...user, id },
    session: { ...user.session, epoch: 0 },
  });
  assertEquals(sessions.length, 2);
  for (const { hash } of sessions) {
    const answer = await other.post("/account", { action: "end_session", session: hash });
    await answer.body?.cancel();
  }
  assert(!(await victim.get("/agents")).startsWith("303"));
});

Deno.test("an owner signs a member out everywhere", async () => {
  const { service } = await start();
  await using _ = service;
  await Dashboard.join(service, "viewer", { name: "member" });
  const laptop = new Browser(service);
  await laptop.signIn();
  const owner = await Dashboard.join(service, "owner");
  const members = await service.service.team.members(await service.tenant());
  const { id } = members.find(({ email }) => email === "member@example.com")!;
  const answer = await owner.post(`/team/${id}/sign-out`);
  assertEquals(await place(answer), "303 /team?notice=member_signed_out");
  assertEquals(await laptop.get("/agents"), "303 /sign-in?next=%2Fagents");
});

Deno.test("a sign-in from a new device is on the other devices' next page, until dismissed", async () => {
  const { clock, service } = await start();
  await using _ = service;
  await Dashboard.join(service, "viewer", { name: "member" });
  const laptop = new Browser(service);
  const phone = new Browser(service, { agent: IPHONE, address: "198.51.100.9" });
  await laptop.signIn();
  const dismiss = async (browser: Browser) =>
    await browser.post("/account", {
      action: "dismiss_notice",
      notice: await browser.hidden("/agents", "notice"),
    });
  assert(!(await laptop.get("/agents")).includes("New sign-in"), "not on the device itself");
  clock.ms += 60_000;
  await phone.signIn();
  const text = await laptop.get("/agents");
  assertStringIncludes(
    text,
    "New sign-in to your account: Safari, iPhone, network 198.51.100.0/24",
  );
  const shown = await phone.get("/agents");
  assertStringIncludes(shown, "Firefox, Windows", "the phone shows the laptop's");
  assert(!shown.includes("iPhone"));
  assertEquals(await dismiss(laptop), "303 /agents");
  assert(!(await laptop.get("/agents")).includes("New sign-in"));

  // A known browser that signs in again is nothing new.
  await phone.signIn();
  assert(!(await laptop.get("/agents")).includes("New sign-in"));

  // Somebody else's sign-in is ended from the notice.
  const thief = new Browser(service, { address: "192.0.2.66" });
  await thief.signIn();
  const [notice, session] = [
    await laptop.hidden("/agents", "notice"),
    await laptop.hidden("/agents", "session"),
  ];
  await laptop.post("/account", { action: "end_session", notice, session });
  assertEquals(await thief.get("/agents"), "303 /sign-in?next=%2Fagents");
  assert(!(await laptop.get("/agents")).includes("New sign-in"));
});

Deno.test("twenty new devices leave five notices", async () => {
  const { service } = await start();
  await using _ = service;
  await Dashboard.join(service, "viewer", { name: "member" });
  const laptop = new Browser(service);
  await laptop.signIn();
  for (let n = 0; n < 20; n++) await new Browser(service, { address: `198.51.${n}.9` }).signIn();
  const text = await laptop.get("/agents");
  assertEquals(text.split("New sign-in").length - 1, 5);
  assertStringIncludes(text, "198.51.19.0/24");
});

Deno.test("an intruder's own sign-ins cannot take back the notices of each other", async () => {
  const { clock, service } = await start();
  await using _ = service;
  const member = await Dashboard.join(service, "viewer", { name: "member" });
  const { signIn } = service.service;
  const mine = async () => (await signIn.authenticate(member.cookie.slice("dashboard=".length)))!;
  clock.ms += 60_000;
  const first = new Browser(service, { agent: IPHONE });
  await first.signIn();
  clock.ms += 60_000;
  const second = new Browser(service, { agent: IPHONE, address: "198.51.100.9" });
  await second.signIn();
  const notices = (await mine()).notices!;
  assertEquals(notices.map(({ isDismissable }) => isDismissable), [true, true]);
  for (const { id } of notices) {
    await second.post("/account", { action: "dismiss_notice", notice: id });
  }
  await second.post("/account", { action: "end_session", session: notices[0]!.signIn });
  assertEquals((await mine()).notices?.length, 2);
  await member.post("/account", { action: "dismiss_notice", notice: notices[0]!.id });
  assertEquals((await mine()).notices?.length, 1);

  // A newer device shows it while the session lasts, and can end that.
  clock.ms += 60_000;
  const third = new Browser(service, { agent: FIREFOX, address: "198.51.100.10" });
  await third.signIn();
  const shown = () => third.get("/account");
  assertStringIncludes(await shown(), "New sign-in to your account");
  await third.post("/account", { action: "end_session", session: notices[1]!.signIn });
  assertEquals((await shown()).includes("New sign-in to your account"), false);
  assertEquals((await mine()).notices?.length, 2, "the older one, and the third browser's");
});
