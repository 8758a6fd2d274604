import { assertEquals, assertRejects } from "@std/assert";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { normalizeDomain } from "../schemas/domains.ts";
import { Egress } from "./egress.ts";
import { EgressError } from "./egress_error.ts";

/** Every URL is in `allowedDomains`: only the address or the scheme rejects it. */
const LITERALS = [
  "https://127.0.0.1/",
  "https://127.0.0.1:8443/",
  "https://127.1/",
  "https://127.0.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0x7f.0x0.0x0.0x1/",
  "https://017700000001/",
  "https://0177.0.0.01/",
  "https://0x7f.1/",
  "https://127.255.255.254/",
  "https://①②⑦.⓪.⓪.①/",
  "https://127。0。0。1/",
  "https://127.0.0.1./",
  "https://%31%32%37.0.0.1/",
  "https://0/",
  "https://0.0.0.0/",
  "https://0x0/",
  "https://10.0.0.1/",
  "https://10.1/",
  "https://167772161/",
  "https://012.0.0.1/",
  "https://100.64.0.1/",
  "https://100.100.100.200/",
  "https://168.63.129.16/",
  "https://169.254.169.254/latest/meta-data/",
  "https://2852039166/",
  "https://0xa9fea9fe/",
  "https://0251.0376.0251.0376/",
  "https://169.254.43518/",
  "https://172.16.0.1/",
  "https://172.31.255.255/",
  "https://192.0.0.192/",
  "https://192.0.2.1/",
  "https://192.88.99.1/",
  "https://192.168.1.1/",
  "https://0300.0250.0.1/",
  "https://198.18.0.1/",
  "https://198.51.100.7/",
  "https://203.0.113.9/",
  "https://224.0.0.1/",
  "https://239.255.255.250/",
  "https://240.0.0.1/",
  "https://255.255.255.255/",
  "https://[::]/",
  "https://[::1]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[0000:0000:0000:0000:0000:0000:0000:0001]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::ffff:a9fe:a9fe]/",
  "https://[::ffff:93.184.215.14]/",
  "https://[::127.0.0.1]/",
  "https://[::ffff:0:127.0.0.1]/",
  "https://[64:ff9b::127.0.0.1]/",
  "https://[64:ff9b::a9fe:a9fe]/",
  "https://[64:ff9b:1::10.0.0.1]/",
  "https://[2002:7f00:1::]/",
  "https://[2002:a9fe:a9fe::1]/",
  "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
  "https://[2001:2::1]/",
  "https://[2001:10::1]/",
  "https://[2001:db8::1]/",
  "https://[3fff::1]/",
  "https://[100::1]/",
  "https://[fc00::1]/",
  "https://[fd00:ec2::254]/",
  "https://[fe80::1]/",
  "https://[febf::1]/",
  "https://[fec0::1]/",
  "https://[ff02::1]/",
  "https://[5f00::1]/",
  "https://[4000::1]/",
  "https://[2606:4700::5efe:10.0.0.1]/",
  "https://[2606:4700::200:5efe:a00:1]/",
  "https://[2606:4700:1:2:0:5efe:a00:1]/",
  "https://[2606:4700:1:2:300:5efe:10.0.0.1]/",
  "http://93.184.215.14/",
  "http://tools.example.com/",
];

/** Public-looking names and the addresses that they resolve to. */
const NAMES: Record<string, string[]> = {
  "localhost": ["127.0.0.1", "::1"],
  "localhost.localdomain": ["127.0.0.1"],
  "metadata.google.internal": ["169.254.169.254"],
  "127.0.0.1.nip.io": ["127.0.0.1"],
  "a.example.com": ["10.0.0.7"],
  "b.example.com": ["93.184.215.14", "192.168.0.1"],
  "c.example.com": ["93.184.215.14", "fd00::1"],
  "d.example.com": ["::ffff:10.0.0.1"],
  "e.example.com": ["64:ff9b::a9fe:a9fe"],
  "f.example.com": ["fe80::1%eth0"],
  "g.example.com": ["100.127.255.255"],
  "h.example.com": ["0.0.0.0"],
  "i.example.com": ["2002:c0a8:101::1"],
};

async function rejectionCode(url: string, addresses: Record<string, string[]> = {}) {
  await using server = new EgressServer(() => new Response("reached"), { addresses });
  const domain = normalizeDomain(new URL(url).host) ?? "";
  const request = server.request(url, { allowedDomains: [domain] });
  const error = await assertRejects(
    () => server.egress.fetch(request),
    EgressError,
    undefined,
    url,
  );
  assertEquals(server.dialled, [], url);
  assertEquals(server.seen, [], url);
  assertEquals(server.calls.length, 1, url);
  assertEquals(server.calls[0]?.refused, error.message);
  // The address must be the reason, not the list of domains.
  assertEquals(error.message.includes("allowedDomains"), false, url);
  return error.code;
}

Deno.test("Egress: no spelling of a non-public address is dialled", async () => {
  for (const url of LITERALS) assertEquals(await rejectionCode(url), "domain_not_allowed", url);
});

Deno.test("Egress: every address of a name is checked", async () => {
  for (const host of Object.keys(NAMES)) {
    assertEquals(await rejectionCode(`https://${host}/`, NAMES), "domain_not_allowed", host);
  }
});

Deno.test("Egress: a host outside allowedDomains is rejected without a lookup", async () => {
  const urls = [
    "https://evil.example/",
    "https://example.com.evil.example/",
    "https://tools.example.com@evil.example/",
    "https://evil.example#@tools.example.com/",
    "https://evil.example\\@tools.example.com/",
    "https://xtools.example.com/",
    "https://a.tools.example.com/",
    "https://tools.example.com:8443/",
    "https://tools.example.com%2eevil.example/",
    "https://tools.example.com\u3002evil.example/",
    "https://too\u200dls.example.com.evil.example/",
    "https://93.184.215.14/",
  ];
  await using server = new EgressServer(() => new Response("reached"));
  for (const url of urls) {
    const parsed = URL.parse(url);
    if (parsed === null) continue;
    const request = server.request(parsed.href, { allowedDomains: ["tools.example.com"] });
    const error = await assertRejects(() => server.egress.fetch(request), EgressError);
    assertEquals(error.code, "domain_not_allowed", url);
  }
  assertEquals([server.dialled, server.seen], [[], []]);
});

Deno.test("Egress: other schemes and credentials in a URL are rejected", async () => {
  await using server = new EgressServer(() => new Response("reached"));
  const urls = [
    "ftp://tools.example.com/",
    "file:///etc/passwd",
    "ws://tools.example.com/",
    "data:text/plain,x",
    "https://user:word@tools.example.com/",
    "https://user@tools.example.com/",
  ];
  for (const url of urls) {
    const error = await assertRejects(
      () => server.egress.fetch(server.request(url)),
      EgressError,
    );
    assertEquals(error.code, "domain_not_allowed", url);
  }
  assertEquals(server.dialled, []);
});

Deno.test("Egress: a rebinding name is resolved once and dialled as checked", async () => {
  const answers = [["93.184.215.14"], ["127.0.0.1"], ["169.254.169.254"]];
  const asked: string[] = [];
  await using server = new EgressServer(() => new Response("ok"), {
    resolver: (host) => {
      asked.push(host);
      return Promise.resolve(answers.shift() ?? []);
    },
  });
  const call = () => server.egress.fetch(server.request("https://rebind.example.com/"));
  assertEquals((await call()).status, 200);
  assertEquals(asked, ["rebind.example.com"]);
  assertEquals(server.dialled, ["93.184.215.14"]);
  assertEquals((await assertRejects(call, EgressError)).code, "domain_not_allowed");
  assertEquals((await assertRejects(call, EgressError)).code, "domain_not_allowed");
  assertEquals(server.dialled, ["93.184.215.14"]);
});

/** One name for each reason of rejection; the last two are plain http. */
const HIDDEN: Record<string, string[] | Error> = {
  "private.example.com": ["10.0.0.7"],
  "loopback.example.com": ["127.0.0.1"],
  "metadata.example.com": ["169.254.169.254"],
  "mixed.example.com": ["93.184.215.14", "fd00::1"],
  "none.example.com": [],
  "odd.example.com": ["crm.internal"],
  "missing.example.com": new Error("getaddrinfo ENOTFOUND secret detail"),
};

function hiddenResolver(host: string): Promise<string[]> {
  const found = HIDDEN[host] ?? [];
  return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
}

Deno.test("Egress: a private address gives the same error as a name that does not resolve", async () => {
  for (const scheme of ["https", "http"]) {
    await using server = new EgressServer(() => new Response("reached"), {
      resolver: hiddenResolver,
    });
    const errors = new Set<string>();
    for (const host of Object.keys(HIDDEN)) {
      const call = () => server.egress.fetch(server.request(`${scheme}://${host}/`));
      const { code, message } = await assertRejects(call, EgressError);
      errors.add(`${code}: ${message.replace(host, "HOST")}`);
    }
    const rejected = server.calls.map((call) =>
      JSON.stringify({ ...call, host: "", refused: call.refused?.replace(call.host, "HOST") })
    );
    assertEquals([errors.size, new Set(rejected).size], [1, 1], [...errors].join("\n"));
    assertEquals(server.dialled, []);
    // The operator sees the reason.
    assertEquals(server.rejections.map(({ host }) => host), Object.keys(HIDDEN));
    assertEquals(
      server.rejections.map(({ reason }) => reason).filter((one) => one === "it does not resolve"),
      ["it does not resolve", "it does not resolve", "it does not resolve"],
    );
  }
});

Deno.test("Egress: the duration of a rejection hides that of the lookup", async () => {
  for (
    const [host, lookupMs, waitMs] of [
      ["private.example.com", 1, 999],
      ["missing.example.com", 240, 760],
      ["none.example.com", 1_700, 300],
    ] as const
  ) {
    let now = 0;
    const waits: number[] = [];
    const sleep = (ms: number, signal?: AbortSignal) => {
      // The deadline of the call is still pending.
      if (ms === 10_000) return new Promise<void>(() => {});
      assertEquals(signal?.aborted, false);
      waits.push(ms);
      return Promise.resolve();
    };
    const egress = new Egress({
      runtime: { now: () => now, sleep },
      resolver: (name) => {
        now += lookupMs;
        return hiddenResolver(name);
      },
    });
    const request = {
      method: "GET",
      tenant: "",
      url: new URL(`https://${host}/`),
      headers: {},
      allowedDomains: [host],
      timeoutMs: 10_000,
      maxResponseBytes: 100,
      signal: new AbortController().signal,
    };
    await assertRejects(() => egress.fetch(request), EgressError);
    assertEquals(waits, [waitMs], host);
  }
});

Deno.test("Egress: a certificate for another name, or from an unknown authority, is rejected", async () => {
  await using server = new EgressServer(() => new Response("reached"));
  const request = server.request("https://wrong.example/", { allowedDomains: ["wrong.example"] });
  const error = await assertRejects(() => server.egress.fetch(request), EgressError);
  assertEquals(error.code, "tool_unreachable");
  assertEquals(error.message, "wrong.example has no valid certificate");
  assertEquals(server.seen, []);
});
