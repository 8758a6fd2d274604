import { assertEquals } from "@std/assert";
import { Session } from "./session.ts";

const MINUTE = 60_000;

function setUp(options: { token?: string; expiresIn?: number; clockOff?: number } = {}) {
  let time = Date.parse("2026-01-01T12:00:00Z");
  let minted = 0;
  const server = () => time + (options.clockOff ?? 0);
  const fetcher = (() => {
    const expiresAt = new Date(server() + (options.expiresIn ?? 15 * MINUTE)).toISOString();
    const body = { sessionToken: `cs_minted_${++minted}`, expiresAt, messageCap: 50 };
    const headers = { date: new Date(server()).toUTCString() };
    return Promise.resolve(Response.json(body, { status: 201, headers }));
  }) as unknown as typeof fetch;
  const endpoint = "https://shop.example/mint";
  const session = new Session({ token: options.token ?? "", endpoint, fetcher, now: () => time });
  return { session, pass: (ms: number) => time += ms, minted: () => minted };
}

Deno.test("Session: fetches a token on first use, and again a minute before it expires", async () => {
  const { session, pass } = setUp();
  assertEquals(await session.token(), "cs_minted_1");
  pass(13 * MINUTE);
  assertEquals(await session.token(), "cs_minted_1");
  pass(1.5 * MINUTE);
  assertEquals(await session.token(), "cs_minted_2");
});

Deno.test("Session: works with a visitor's clock that is hours off", async () => {
  for (const clockOff of [-5 * 60 * MINUTE, 5 * 60 * MINUTE]) {
    const { session, pass } = setUp({ clockOff });
    await session.token();
    pass(13 * MINUTE);
    assertEquals(await session.token(), "cs_minted_1");
    pass(2 * MINUTE);
    assertEquals(await session.token(), "cs_minted_2");
  }
});

Deno.test("Session: two concurrent calls mint one token", async () => {
  const { session, minted } = setUp();
  await Promise.all([session.token(), session.token(), session.renew()]);
  assertEquals(minted(), 1);
});

Deno.test("Session: keeps the rejection of the last mint until a mint succeeds", async () => {
  const refused = Response.json({ code: "origin_not_allowed", message: "…" }, { status: 403 });
  const own = Response.json({ error: "not signed in" }, { status: 403 });
  const broken = new Response("<h1>oops</h1>", { status: 500 });
  const minted = Response.json({ sessionToken: "cs_minted" }, { status: 201 });
  const answers = [own, broken, refused, minted];
  const fetcher = (() => Promise.resolve(answers.shift()!)) as unknown as typeof fetch;
  const session = new Session({ token: "", endpoint: "https://x/", fetcher, now: () => 0 });
  for (const code of [undefined, undefined, "origin_not_allowed"]) {
    assertEquals([await session.token(), session.rejection?.code], ["", code]);
  }
  assertEquals([await session.token(), session.rejection], ["cs_minted", undefined]);
});

Deno.test("Session: ignores error codes that are the site's own", async () => {
  const refused = () => Response.json({ code: "origin_not_allowed" }, { status: 403 });
  const others = [
    () => Response.json({ code: "" }, { status: 403 }),
    () => Response.json({ code: 40101, message: "not signed in" }, { status: 403 }),
    () => Response.json({ code: 0, data: {} }),
    () => Response.json({ code: "ok", data: {} }),
    () => new Response("<h1>oops</h1>", { status: 500 }),
  ];
  const answers = others.flatMap((other) => [refused, other]);
  const fetcher = (() => Promise.resolve(answers.shift()!())) as unknown as typeof fetch;
  const session = new Session({ token: "", endpoint: "https://x/", fetcher, now: () => 0 });
  for (const _ of others) {
    await session.token();
    assertEquals(session.rejection?.code, "origin_not_allowed");
    await session.token();
    assertEquals(session.rejection, undefined);
  }
});

Deno.test("Session: an endpoint that cannot be reached is a failure of the network until it answers", async () => {
  const offline = () => Promise.reject(new TypeError("Failed to fetch"));
  const answers = [offline, () => Promise.resolve(Response.json({ sessionToken: "cs_minted" }))];
  const fetcher = (() => answers.shift()!()) as unknown as typeof fetch;
  const session = new Session({ token: "", endpoint: "https://x/", fetcher, now: () => 0 });
  assertEquals([await session.token(), session.rejection?.code], ["", "network_error"]);
  assertEquals([await session.token(), session.rejection], ["cs_minted", undefined]);
});

Deno.test("Session: uses the page's token unchanged, and fetches nothing without an endpoint", async () => {
  const { session, minted } = setUp({ token: "cs_page" });
  assertEquals([await session.token(), minted()], ["cs_page", 0]);
  const fetcher = (() => Promise.reject(new Error("not asked"))) as unknown as typeof fetch;
  const alone = new Session({ token: "", endpoint: "", fetcher, now: () => 0 });
  assertEquals([await alone.token(), await alone.renew()], ["", false]);
});
