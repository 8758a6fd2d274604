/** Every response carries its security headers, whichever route it comes from. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { addressOf, routeFiles } from "./support/route_files.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { PUBLIC_ROUTES } from "./support/public_routes.ts";
import { TestService } from "./support/service.ts";

const PUBLIC_URL = "https://chat.example.com";
/** Static files, and requests that match no route or never reach Fresh's router. */
const BESIDE_ROUTES: [string, string][] = [
  ["GET", "/favicon.svg"],
  ["GET", "/favicon.ico"],
  ["GET", "/demo.css"],
  ["HEAD", "/dashboard/tokens.css"],
  ["GET", "/nothing"],
  ["GET", "/v1/nothing"],
  ["OPTIONS", "/v1/chat/stream"],
  ["PROPFIND", "/docs"],
  ["PUT", "/docs"],
];
const SCRIPTS = /^\/(widget|client)\.v1\.(?!json)/;

/** Each method of each public route, and every page of the dashboard. */
function addresses(): [method: string, path: string][] {
  const pages = routeFiles().filter((file) => /^\((admin|public)\)\//.test(file));
  return [
    ...PUBLIC_ROUTES.map(({ method, path }): [string, string] => [method, path]),
    ...pages.map((file): [string, string] => ["GET", addressOf(file)]),
    ...BESIDE_ROUTES,
  ];
}

function assertHeaders({ headers }: Response, { path, https }: { path: string; https: boolean }) {
  const isPage = headers.get("content-type")?.startsWith("text/html") ?? false;
  assertEquals(headers.get("x-content-type-options"), "nosniff", path);
  assertEquals(headers.get("referrer-policy"), "same-origin", path);
  const transport = https ? "max-age=31536000; includeSubDomains" : null;
  assertEquals(headers.get("strict-transport-security"), transport, path);
  assertEquals(headers.get("cross-origin-opener-policy"), isPage ? "same-origin" : null, path);
  assertEquals(headers.get("x-frame-options"), isPage ? "DENY" : null, path);
  const features = headers.get("permissions-policy") ?? "";
  assertEquals(features.includes("camera=()"), isPage, path);
  if (isPage) assertMatch(headers.get("content-security-policy") ?? "", /^default-src 'none';/);
  const isScript = SCRIPTS.test(path) && !isPage;
  const resource = headers.get("cross-origin-resource-policy");
  assertEquals(resource, isScript ? "cross-origin" : null, path);
}

for (const https of [false, true]) {
  Deno.test(`every response has its security headers, with ${https ? "an https" : "no"} PUBLIC_URL`, async () => {
    const env = { SETUP_TOKEN, ...https ? { PUBLIC_URL } : {} };
    await using service = await TestService.start({ env });
    const walk = async (cookie: string) => {
      let pages = 0;
      for (const [method, path] of addresses()) {
        const answer = await service.fetch(path, { method, headers: { cookie } });
        await answer.body?.cancel();
        assertHeaders(answer, { path: `${method} ${path}`.replace(/^GET /, ""), https });
        if (answer.headers.get("content-type")?.startsWith("text/html")) pages++;
      }
      return pages;
    };
    const publicPages = await walk("");
    const { cookie } = await Dashboard.setUp(service);
    assert(await walk(https ? `__Host-${cookie}` : cookie) > publicPages + 20);
  });
}
