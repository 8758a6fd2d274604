import { assertEquals, assertRejects } from "@std/assert";
import { EgressServer, PUBLIC_ADDRESS } from "@/tests/support/egress_server.ts";
import { Egress } from "./egress.ts";
import { EgressError } from "./egress_error.ts";
import { systemRuntime } from "../platform/runtime.ts";

Deno.test("Egress: a call connects to the checked address with the host name", async () => {
  await using server = new EgressServer(({ url }) =>
    new Response(`you requested ${url}`, { status: 201, headers: { "x-kind": "test" } })
  );
  const request = server.request("https://tools.example.com/a/b?c=d#e");
  const answer = await server.egress.fetch(request);
  assertEquals([answer.status, answer.headers["x-kind"]], [201, "test"]);
  const text = new TextDecoder().decode(answer.body);
  assertEquals(text, "you requested https://tools.example.com/a/b?c=d");
  assertEquals(server.dialled, [PUBLIC_ADDRESS]);
  assertEquals(server.calls, [{
    host: "tools.example.com",
    address: PUBLIC_ADDRESS,
    method: "GET",
    status: 201,
    bytes: 47,
    ms: 0,
    hop: 0,
  }]);
});

Deno.test("Egress: valid URLs reach their server unchanged", async () => {
  const honest: [url: string, seen: string][] = [
    ["https://example.com", "https://example.com/"],
    ["https://EXAMPLE.com/Path", "https://example.com/Path"],
    ["https://tools.example.com:443/a", "https://tools.example.com/a"],
    ["https://tools.example.com/%7Euser/a%2Fb", "https://tools.example.com/%7Euser/a%2Fb"],
    ["https://tools.example.com/a/../b", "https://tools.example.com/b"],
    ["https://tools.example.com/ü?ü=1", "https://tools.example.com/%C3%BC?%C3%BC=1"],
    ["https://tools.example.com/?a=1&a=2&b=", "https://tools.example.com/?a=1&a=2&b="],
    [
      "https://tools.example.com/?u=http://127.0.0.1/",
      "https://tools.example.com/?u=http://127.0.0.1/",
    ],
    ["https://tools.example.com/169.254.169.254", "https://tools.example.com/169.254.169.254"],
    ["https://10.example.com/", "https://10.example.com/"],
    ["https://localhost.example.com/", "https://localhost.example.com/"],
    ["https://xn--mnchen-3ya.example.com/", "https://xn--mnchen-3ya.example.com/"],
    ["https://münchen.example.com/", "https://xn--mnchen-3ya.example.com/"],
    ["https://api.other.example/v1", "https://api.other.example/v1"],
  ];
  await using server = new EgressServer(() => new Response("ok"));
  for (const [url, seen] of honest) {
    const { status } = await server.egress.fetch(server.request(url));
    assertEquals([status, server.seen.at(-1)?.url], [200, seen], url);
  }
});

Deno.test("Egress: public addresses pass as literals and behind names", async () => {
  const addresses = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.1",
    "203.0.114.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450:4001:80b::200e",
    "2620:fe::fe",
    "2a00:5efe:1234::1",
    "2a00:1450:0:5efe::1",
    "2a00:1450::5efe:1",
  ];
  for (const address of addresses) {
    await using server = new EgressServer(() => new Response("ok"), {
      addresses: { "tools.example.com": [address] },
    });
    const request = server.request("https://tools.example.com/");
    assertEquals((await server.egress.fetch(request)).status, 200, address);
    assertEquals(server.dialled, [address]);
  }
});

Deno.test("Egress: every method is sent with its body and headers", async () => {
  await using server = new EgressServer(({ body }) => new Response(body));
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const body = new TextEncoder().encode(`{"of":"${method}"}`);
    const headers = { "Content-Type": "application/json", "X-Name": "wert ü" };
    const request = server.request("https://tools.example.com/", { method, headers, body });
    const answer = await server.egress.fetch(request);
    assertEquals(new TextDecoder().decode(answer.body), `{"of":"${method}"}`);
    assertEquals(server.seen.at(-1)?.method, method);
    assertEquals(server.seen.at(-1)?.headers.get("content-type"), "application/json");
  }
});

Deno.test("Egress: responses without a body are complete", async () => {
  for (const status of [204, 304]) {
    await using server = new EgressServer(() => new Response(null, { status }));
    const answer = await server.egress.fetch(server.request("https://tools.example.com/"));
    assertEquals([answer.status, answer.body.length, answer.truncated], [status, 0, false]);
  }
});

Deno.test("Egress: EGRESS_ALLOW opens plain http and private addresses, nothing else", async () => {
  const plain = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      const to = new URL(request.url).searchParams.get("to");
      return to === null ? new Response("inside") : Response.redirect(to, 302);
    },
  );
  const { port } = plain.addr as Deno.NetAddr;
  const ask = async (url: string, options: { allow: string[]; domains?: string[] }) => {
    const resolver = () => Promise.resolve(["127.0.0.1"]);
    const runtime = systemRuntime;
    const egress = new Egress({ allow: options.allow, runtime, resolver, rejectionMs: 0 });
    const { status } = await egress.fetch({
      method: "GET",
      tenant: "tenant",
      url: new URL(url),
      headers: {},
      allowedDomains: options.domains ?? [`127.0.0.1:${port}`, `crm.internal:${port}`],
      timeoutMs: 10_000,
      maxResponseBytes: 100,
      signal: new AbortController().signal,
    });
    return status;
  };
  const [literal, named] = [`http://127.0.0.1:${port}/`, `http://crm.internal:${port}/`];
  for (const allow of [[`127.0.0.1:${port}`], ["127.0.0.1"], ["127.0.0.0/8"]]) {
    assertEquals(await ask(literal, { allow }), 200, allow.join());
  }
  for (const allow of [[`crm.internal:${port}`], ["crm.internal"], ["127.0.0.1/32"]]) {
    assertEquals(await ask(named, { allow }), 200, allow.join());
  }
  const rejected: [string, { allow: string[]; domains?: string[] }][] = [
    [literal, { allow: [] }],
    [literal, { allow: ["127.0.0.1:1", "10.0.0.0/8", "crm.internal", "::1/128"] }],
    [named, { allow: ["other.internal", "127.0.0.1"] }],
    [named, { allow: ["crm.internal"], domains: ["tools.example.com"] }],
    [`${named}?to=http://127.0.0.1:${port}/`, { allow: ["crm.internal"] }],
  ];
  for (const [url, options] of rejected) {
    const error = await assertRejects(() => ask(url, options), EgressError);
    assertEquals(error.code, "domain_not_allowed", `${url} ${options.allow}`);
  }
  await plain.shutdown();
});
