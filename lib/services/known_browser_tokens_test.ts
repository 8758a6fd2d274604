import { assertEquals } from "@std/assert";
import { Signer } from "../platform/crypto/signer.ts";
import { systemRuntime } from "../platform/runtime.ts";
import { KNOWN_BROWSER_MS, KnownBrowserTokens } from "./known_browser_tokens.ts";

const USER = crypto.randomUUID();

function known(clock: { ms: number }, secrets = ["a secret that signs marks"]): KnownBrowserTokens {
  return new KnownBrowserTokens(new Signer(secrets), { ...systemRuntime, now: () => clock.ms });
}

Deno.test("KnownBrowserTokens: a token identifies its user for 90 days, also after a secret rotation", async () => {
  const clock = { ms: 1_000_000 };
  const mark = await known(clock).issue(USER);
  assertEquals((await known(clock).identify(mark))?.userId, USER);
  const rotated = known(clock, ["a newer secret that signs", "a secret that signs marks"]);
  assertEquals((await rotated.identify(mark))?.userId, USER);
  clock.ms += KNOWN_BROWSER_MS;
  assertEquals(await rotated.identify(mark), undefined);
});

Deno.test("KnownBrowserTokens: a forged, changed or truncated token is invalid", async () => {
  const clock = { ms: 1_000_000 };
  const browsers = known(clock);
  const mark = await browsers.issue(USER);
  const other = crypto.randomUUID();
  const forged = [
    mark.replace(USER, other),
    mark.replace(/\.\d+\./, ".9999999999999."),
    mark.slice(0, -1),
    await known(clock, ["somebody else's secret"]).issue(USER),
    "",
    "a.b.c.d",
  ];
  for (const one of forged) assertEquals(await browsers.identify(one), undefined, one);
});
