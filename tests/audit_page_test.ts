/** The audit page: filters that are links, and downloads that can be verified without the service. */
import { auditHref, readAuditFilters } from "@/lib/dashboard/audit_filters.ts";
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { verifyAuditFile } from "@/lib/services/audit/verify_audit_file.ts";
import { INSTALLATION } from "@/lib/store/audit/audit_record.ts";
import { Dashboard, PASSWORD, SETUP_TOKEN } from "./support/dashboard.ts";
import { agentBody, TestService } from "./support/service.ts";

async function open() {
  let now = Date.UTC(2026, 0, 15);
  const runtime = { now: () => now++ };
  const env = { DEMO: "off", SETUP_TOKEN };
  const service = await TestService.start({ runtime, env });
  const owner = await Dashboard.setUp(service);
  return {
    ...{ service, owner },
    text: async (path: string, by = owner) => await (await by.get(path)).text(),
    async agent(name: string): Promise<string> {
      const key = await service.key(["agents:write"]);
      const json = { ...agentBody(), name };
      const { id } = await (await service.fetch("/v1/agents", { method: "POST", key, json }))
        .json();
      return id;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** The values of a file of JSON lines. */
// deno-lint-ignore no-explicit-any
function lines(text: string): any[] {
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** Hrefs of the page that lead to itself. */
function hrefs(html: string): string[] {
  return [...html.matchAll(/href="(\/audit[^"]*)"/g)].map(([, href]) =>
    href!.replaceAll("&amp;", "&")
  );
}

Deno.test("/audit: people, targets and addresses are links to their entries, which can be combined", async () => {
  await using on = await open();
  const { owner, service } = on;
  const [shop, help] = [await on.agent("Shop"), await on.agent("Help")];
  const wrong = { email: "operator@example.com", password: "not the password" };
  await (await new Dashboard(service).post("/sign-in", wrong)).body?.cancel();
  const all = await on.text("/audit");
  const address = hrefs(all).find((href) => href.includes("address="))!;
  assert(hrefs(all).includes(`/audit?target=${shop}`));
  const ofShop = await on.text(`/audit?target=${shop}`);
  assert(ofShop.includes(">Shop<") && !ofShop.includes(">Help<"));
  const byAddress = await on.text(address);
  assertStringIncludes(byAddress, "Failed to sign in");
  assertFalse(byAddress.includes(">Shop<"));
  // Every filter is in the address, so the links keep the others.
  const both = await on.text(`/audit?target=${help}&kind=agent&actor=service`);
  assertStringIncludes(both, "No matching entries");
  const narrowed = hrefs(await on.text(`/audit?target=${help}&kind=agent`));
  assert(
    narrowed.some((href) => /kind=agent&actor=[0-9a-f-]{36}&target=/.test(href)),
    `${narrowed}`,
  );
  assertStringIncludes(await on.text(`/audit?target=${help}`), `value="${help}"`);
  await (await owner.get("/audit?target=%ED%A0%80&address=<script>")).text();
});

Deno.test("/audit: a combination of filters without its own index is found across pages", async () => {
  await using on = await open();
  const { service } = on;
  const tenant = await service.tenant();
  const id = await on.agent("Shop");
  const key = await service.key(["agents:write"]);
  for (let n = 0; n < 60; n++) {
    const json = { name: `Shop ${n}` };
    await (await service.fetch(`/v1/agents/${id}`, { method: "PATCH", key, json })).body?.cancel();
  }
  const query = { target: id, kind: "agent", limit: 25 } as const;
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await service.service.audit.list(tenant, { ...query, cursor });
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assertEquals([seen.length, new Set(seen).size], [61, 61]);
});

Deno.test("/audit/export: JSON lines have every entry with its link, and can be verified without the service", async () => {
  await using on = await open();
  await on.agent("Shop");
  await on.service.service.auditChainer.sweep();
  const answer = await on.owner.get("/audit/export?format=jsonl");
  assertEquals(answer.headers.get("content-type"), "application/jsonl; charset=utf-8");
  assertStringIncludes(answer.headers.get("content-disposition")!, ".jsonl");
  const text = await answer.text();
  const [start, ...rest] = lines(text);
  const entries = rest.slice(0, -1);
  assertEquals([start.type, start.log, start.filters], [
    "audit_log",
    await on.service.tenant(),
    {},
  ]);
  assertEquals(entries.map(({ sequence }) => sequence), entries.map((_, n) => n + 1));
  const last = entries.at(-1)!.entry;
  assertEquals([last.kind, last.action], ["tenant", "export audit log"], "the download itself");

  const report = verifyAuditFile(text);
  assertEquals([report.entries, report.issues], [entries.length, []]);
  assertEquals(report.signedHeads, 1);
  for (const [from, to, sequence] of [["Shop", "Spot", 3], ["user", "service", 1]] as const) {
    const at = text.split("\n").findIndex((line) => line.includes(`"${from}"`));
    const changed = text.split("\n").with(at, text.split("\n")[at]!.replaceAll(from, to));
    const { issues } = verifyAuditFile(changed.join("\n"));
    assert(issues.length > 0 && issues[0]!.sequence !== undefined, `${from} at ${sequence}`);
  }
  const without = text.split("\n").toSpliced(2, 1).join("\n").replace(
    `"lines":${entries.length + 1}`,
    `"lines":${entries.length}`,
  );
  assertEquals(verifyAuditFile(without).issues[0]?.sequence, 2);
});

Deno.test("/audit: a link with a filter that no entry has shows nothing, and every address has one", () => {
  const of = (query: string) => readAuditFilters(new URL(`http://x/audit?${query}`));
  for (const query of ["actor=ann@example.com", "kind=agents", "address=evil"]) {
    assertEquals(auditHref(of(query)), `/audit?${query.replace("@", "%40")}`);
  }
  const long = of(`target=${"x".repeat(5_000)}`).target;
  assertEquals(long, "x".repeat(2_049), "longer than any that is stored");
  for (const address of ["local", "unknown", "fe80::1%eth0", "203.0.113.7", "many addresses"]) {
    assertEquals(of(`address=${encodeURIComponent(address)}`).address, address);
  }
});

Deno.test("/audit/export: has the page's filters, of which the log knows", async () => {
  await using on = await open();
  const [shop] = [await on.agent("Shop"), await on.agent("Help")];
  const text = await on.text(`/audit/export?format=jsonl&target=${shop}&kind=agent`);
  const [start, ...rest] = lines(text);
  assertEquals(start.filters, { kind: "agent", target: shop });
  assertEquals(rest.slice(0, -1).map(({ entry }) => entry.target.name), ["Shop"]);
  const { data: [entry] } = await on.service.service.audit.list(await on.service.tenant(), {
    limit: 1,
  });
  assertEquals(entry?.changes.map(({ field, after }) => [field, after]), [
    ...[["format", "jsonl"], ["kind", "agent"], ["target", shop]],
  ]);
  assertEquals(entry?.actor.kind, "user");
});

Deno.test("/audit/export: CSV cells are quoted, and no spreadsheet runs one", async () => {
  await using on = await open();
  await on.agent(`=HYPERLINK("https://evil.example")`);
  const answer = await on.owner.get("/audit/export?format=csv&kind=agent");
  assertEquals(answer.headers.get("content-type"), "text/csv; charset=utf-8");
  const [header, row, end] = (await answer.text()).split("\r\n");
  assertStringIncludes(header!, `"sequence","time","actor_kind"`);
  assertStringIncludes(row!, `,"'=HYPERLINK(""https://evil.example"")",`);
  assertEquals(end, "");
});

Deno.test("/audit/export: each tenant has its own log; the installation's is for operators", async () => {
  await using on = await open();
  await on.agent("Shop");
  const { id } = await on.service.service.tenants.create("Elsewhere");
  const other = await Dashboard.join(on.service, "owner", { tenant: id, name: "else" });
  const theirs = await on.text("/audit/export?format=jsonl&log=installation", other);
  assertEquals(lines(theirs)[0].log, id);
  assertFalse(theirs.includes("Shop"));
  const ours = await on.text("/audit/export?format=jsonl&log=installation");
  assertEquals(lines(ours)[0].log, INSTALLATION);
  assertEquals(verifyAuditFile(ours).issues, []);
  const viewer = await Dashboard.join(on.service, "viewer");
  assertEquals(
    (await viewer.get("/audit/export")).status,
    200,
    "who sees the page may download it",
  );
  const nobody = await new Dashboard(on.service).get("/audit/export");
  assertEquals(nobody.status, 303);
  await nobody.body?.cancel();
});

Deno.test("/operator/tenants/:id: a plan says how long the audit log stores changes, and the page shows it", async () => {
  await using on = await open();
  const tenant = await on.service.tenant();
  const plan = { models: "all", visitorOverrides: "not_dearer", conversationDays: "30" };
  const set = async (auditDays: string) => {
    const answer = await on.owner.post(`/operator/tenants/${tenant}`, { ...plan, auditDays });
    await answer.body?.cancel();
    return answer.status;
  };
  assertEquals([await set("29"), await set("3651"), await set("x")], [400, 400, 400]);
  assertStringIncludes(await on.text("/audit"), "Stored for 400 days; failed sign-ins");
  assertEquals(await set("1000"), 303);
  assertStringIncludes(await on.text("/audit"), "Stored for 1000 days; failed sign-ins");
  assertStringIncludes(await on.text(`/operator/tenants/${tenant}`), `value="1000"`);
  assertEquals(await set("45"), 303);
  assertStringIncludes(await on.text("/audit"), "Stored for 45 days; failed sign-ins");
  assertStringIncludes(await on.text("/audit"), "rejected requests for 45.");
  assertEquals(await set(""), 303);
  assertEquals((await on.service.service.tenants.plan(tenant)).auditDays, undefined);
  assert(PASSWORD.length > 0);
});
