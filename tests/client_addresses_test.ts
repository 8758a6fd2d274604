/** The service logs where client addresses come from, and warns about a proxy that is not configured. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { TestService } from "./support/service.ts";
import { startService } from "./support/started_service.ts";

const HTTPS = { PUBLIC_URL: "https://chat.example", SETUP_TOKEN };

Deno.test("the startup log names the source of client addresses", async () => {
  for (
    const [hops, source] of [
      ["0", "the connection, because TRUSTED_PROXY_HOPS is 0"],
      ["2", "entry 2 from the right of X-Forwarded-For, because TRUSTED_PROXY_HOPS is 2"],
    ] as const
  ) {
    const dir = await Deno.makeTempDir();
    const logged = Promise.withResolvers<string>();
    const onLog = (line: string) => {
      if (line.includes("client addresses")) logged.resolve(line);
    };
    {
      await using _ = await startService(dir, { TRUSTED_PROXY_HOPS: hops }, { onLog });
      assertStringIncludes(await logged.promise, `client addresses come from ${source}`);
    }
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("behind an https PUBLIC_URL, an untrusted X-Forwarded-For is logged once and shown to operators only", async () => {
  await using service = await TestService.start({ env: HTTPS });
  const operator = await Dashboard.setUp(service);
  const other = await Dashboard.join(service, "owner", {
    tenant: (await service.service.tenants.create("Other")).id,
  });
  const home = async (dashboard: Dashboard) => {
    const cookie = dashboard.cookie.replace("dashboard=", "__Host-dashboard=");
    const answer = await service.fetch("/home", { headers: { cookie } });
    assertEquals(answer.status, 200);
    return await answer.text();
  };
  const warnings = () =>
    service.logged.filter((line) => line.includes("TRUSTED_PROXY_HOPS"))
      .map((line) => JSON.parse(line));
  assertEquals([(await home(operator)).includes("count as one address"), warnings()], [false, []]);
  for (let n = 0; n < 3; n++) {
    const headers = { "x-forwarded-for": "203.0.113.7" };
    await (await service.fetch("/v1/agents", { headers })).body?.cancel();
  }
  const [warning, ...more] = warnings();
  assertEquals([warning.level, warning.suggestedHops, more], ["warn", 1, []]);
  assertStringIncludes(warning.message, "Set TRUSTED_PROXY_HOPS=1 if");
  assertStringIncludes(await home(operator), "TRUSTED_PROXY_HOPS=1");
  assertEquals((await home(other)).includes("TRUSTED_PROXY_HOPS"), false);
});
