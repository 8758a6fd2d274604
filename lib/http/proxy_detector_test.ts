import { assertEquals, assertStringIncludes } from "@std/assert";
import { describeClientAddressSource, ProxyDetector } from "./proxy_detector.ts";

const HTTPS = { trustedProxyHops: 0, publicUrl: "https://chat.example" };

function world(config: ConstructorParameters<typeof ProxyDetector>[0] = HTTPS) {
  const warned: string[] = [];
  const check = new ProxyDetector(config, { warn: (message) => void warned.push(message) });
  const ask = (forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
    check.check(new Request("http://127.0.0.1/", { headers }));
  };
  return { warned, check, ask };
}

Deno.test("ProxyDetector: warns of the first list at once, and of a shorter one", () => {
  const { warned, check, ask } = world();
  ask();
  assertEquals([warned, check.suggestedHops], [[], undefined]);
  ask("192.0.2.1, 192.0.2.2,192.0.2.3");
  assertEquals([warned.length, check.suggestedHops], [1, 3]);
  assertStringIncludes(warned[0]!, "Set TRUSTED_PROXY_HOPS=3 if");
  for (let n = 0; n < 100; n++) ask("192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4");
  assertEquals(warned.length, 1);
  ask("192.0.2.1");
  ask("192.0.2.9");
  assertEquals([warned.length, check.suggestedHops], [2, 1]);
});

Deno.test("ProxyDetector: suggests nothing that the setting does not take", () => {
  const { check, ask } = world();
  ask(" , ,");
  assertEquals(check.suggestedHops, undefined);
  ask(Array(500).fill("192.0.2.1").join());
  assertEquals(check.suggestedHops, 16);
});

Deno.test("ProxyDetector: says nothing of a proxy that is trusted, or of plain http", () => {
  for (
    const config of [
      { ...HTTPS, trustedProxyHops: 1 },
      { trustedProxyHops: 0, publicUrl: "http://chat.example" },
      { trustedProxyHops: 0 },
    ]
  ) {
    const { warned, ask } = world(config);
    ask("192.0.2.1");
    assertEquals(warned, []);
  }
});

Deno.test("describeClientAddressSource names the connection or the entry of the header", () => {
  assertEquals(describeClientAddressSource(0), "the connection, because TRUSTED_PROXY_HOPS is 0");
  assertStringIncludes(describeClientAddressSource(2), "entry 2 from the right of X-Forwarded-For");
});
