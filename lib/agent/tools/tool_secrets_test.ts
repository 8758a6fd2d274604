import { assertEquals, assertStringIncludes } from "@std/assert";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { httpTool } from "@/tests/support/agents.ts";
import { callTool, noAbort, toolsetOf } from "@/tests/support/toolsets.ts";

const KEY = "sk_live_4eC39HqLyjWDarjtT1";
const secrets = { KEY: { value: KEY, domains: ["tools.example.com"] } };
const authorization = "Bearer {{secret.KEY}}";

function textOf(output: unknown): string {
  return JSON.stringify(output);
}

Deno.test("secrets: are sent in headers, query and body to their hosts", async () => {
  await using server = new EgressServer(() => Response.json({}));
  const request = {
    method: "POST",
    url: "https://tools.example.com/",
    headers: { authorization },
    query: { key: "{{secret.KEY}}" },
    body: { key: "{{secret.KEY}}" },
  };
  assertEquals(await callTool(server, request, { secrets }), { status: 200, body: {} });
  const [seen] = server.seen;
  assertEquals(seen?.headers.get("authorization"), `Bearer ${KEY}`);
  assertEquals(new URL(seen?.url ?? "").searchParams.get("key"), KEY);
  assertEquals(seen?.body, JSON.stringify({ key: KEY }));
  assertEquals(textOf(server.calls).includes(KEY), false);
});

Deno.test("secrets: a missing secret, or one for another host, fails the call", async () => {
  await using server = new EgressServer(() => Response.json({}));
  const elsewhere = { KEY: { value: KEY, domains: ["other.example.com"] } };
  const call = async (given: typeof secrets | Record<string, never>, name = "KEY") => {
    const headers = { authorization: `{{secret.${name}}}` };
    const request = { url: "https://tools.example.com/", headers };
    return (await callTool(server, request, { secrets: given }) as { error: { code: string } })
      .error
      .code;
  };
  assertEquals(await call({}), "tool_unreachable");
  assertEquals(await call(secrets, "constructor"), "tool_unreachable");
  assertEquals(await call(elsewhere), "domain_not_allowed");
  assertEquals(server.seen, []);
});

Deno.test("secrets: an argument cannot name one", async () => {
  await using server = new EgressServer(() => Response.json({}));
  const request = { method: "POST", url: "https://tools.example.com/", body: { a: "{{a}}" } };
  await callTool(server, request, { secrets, args: { a: "{{secret.KEY}}", "secret.KEY": "x" } });
  assertEquals(server.seen[0]?.body, JSON.stringify({ a: "{{secret.KEY}}" }));
});

Deno.test("secrets: are redacted in every encoding that a server echoes", async () => {
  const basic = btoa(`user:${KEY}`);
  await using server = new EgressServer(({ headers, url }) =>
    Response.json({
      headers: Object.fromEntries(headers),
      url,
      base64: btoa(KEY),
      basic,
      hex: new TextEncoder().encode(KEY).toHex(),
      nested: [{ [KEY]: `a ${KEY} b` }],
    })
  );
  const request = {
    url: "https://tools.example.com/",
    headers: { authorization },
    query: { key: "{{secret.KEY}}" },
  };
  const output = textOf(await callTool(server, request, { secrets }));
  for (
    const spelling of [KEY, btoa(KEY), new TextEncoder().encode(KEY).toHex(), basic.slice(8, 30)]
  ) {
    assertEquals(output.includes(spelling), false, spelling);
  }
  assertStringIncludes(output, "Bearer [secret]");
});

Deno.test("secrets: are redacted in error excerpts, even where they are cut", async () => {
  for (let pad = 900; pad < 1100; pad += 7) {
    await using server = new EgressServer(() =>
      new Response("x".repeat(pad) + KEY + "y".repeat(3000), { status: 500 })
    );
    const request = { url: "https://tools.example.com/", headers: { authorization } };
    const tool = { maxResponseBytes: pad + 10 };
    const output = textOf(await callTool(server, request, { secrets, tool }));
    assertEquals(output.includes("sk_l"), false, `${pad}`);
  }
});

Deno.test("secrets: are redacted in content types, even where they are cut", async () => {
  for (let pad = 70; pad <= 100; pad += 5) {
    const type = `image/${"x".repeat(pad - 6)}${KEY}`;
    await using server = new EgressServer(() =>
      new Response("x", { headers: { "content-type": type } })
    );
    const request = { url: "https://tools.example.com/", headers: { authorization } };
    const output = textOf(await callTool(server, request, { secrets }));
    assertEquals(output.includes("sk_l"), false, `${pad} ${output}`);
  }
});

Deno.test("secrets: are not sent to the target of a redirect to another host", async () => {
  await using server = new EgressServer(({ url }) =>
    url.startsWith("https://other.")
      ? new Response("arrived")
      : new Response(null, { status: 307, headers: { location: "https://other.example.com/" } })
  );
  const both = { KEY: { value: KEY, domains: ["*.example.com"] } };
  const base = { method: "POST", url: "https://tools.example.com/", headers: { authorization } };
  const output = await callTool(server, { ...base, body: { n: 1 } }, { secrets: both });
  assertEquals(output, { status: 200, body: "arrived" });
  assertEquals(server.seen[1]?.headers.has("authorization"), false);
  const refused = await callTool(server, { ...base, body: { key: "{{secret.KEY}}" } }, {
    secrets: both,
  });
  assertStringIncludes(textOf(refused), "domain_not_allowed");
  assertEquals(server.seen.length, 3);
});

Deno.test("secrets: are redacted in the recorded host of a redirect", async () => {
  await using server = new EgressServer(() =>
    new Response(null, { status: 302, headers: { location: `https://${KEY}.evil.example/` } })
  );
  const definition = httpTool({ parameters: { type: "object" } }, {
    url: "https://tools.example.com/",
    headers: { authorization },
  });
  const lower = { KEY: { value: KEY.toLowerCase(), domains: ["tools.example.com"] } };
  const toolset = toolsetOf(server, [definition], { secrets: lower });
  const output = await toolset.execute("look_up", {}, noAbort());
  assertEquals(textOf([output, toolset.egressCalls]).includes(KEY.toLowerCase()), false);
});
