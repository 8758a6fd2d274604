/** The export of everything of a tenant: complete, readable with nothing but JSON, and without secrets. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Dashboard } from "./support/dashboard.ts";
import { openWholeTenant } from "./support/whole_tenant.ts";

type Line = { type: string } & Record<string, unknown>;

async function readExport(answer: Response): Promise<{ text: string; lines: Line[] }> {
  assertEquals(answer.status, 200);
  assertStringIncludes(answer.headers.get("content-disposition")!, "attachment");
  assertEquals(answer.headers.get("content-type"), "application/jsonl; charset=utf-8");
  const text = await answer.text();
  return { text, lines: text.trimEnd().split("\n").map((line) => JSON.parse(line)) };
}

/** The bytes of a file, joined as the documentation says. */
function fileOf(lines: readonly Line[], id: unknown): string {
  const parts = lines.filter(({ type, ...line }) => type === "file_part" && line.id === id)
    .sort((a, b) => Number(a.n) - Number(b.n));
  return parts.map(({ base64 }) => new TextDecoder().decode(Uint8Array.fromBase64(String(base64))))
    .join("");
}

Deno.test("an export has everything of the tenant, and nothing of another", async () => {
  const whole = await openWholeTenant();
  const { of, operator, owner, words: { words, life } } = whole;
  await using _ = of;
  const { service, tenant } = of;
  const ours = await service.tenant();
  await service.service.knowledge.create(ours, { name: "Ours" });
  const path = `/operator/tenants/${tenant}/export`;
  const { text, lines } = await readExport(await operator.post(path));
  const types = new Set(lines.map(({ type }) => type));
  for (
    const type of [
      ...["tenant", "user", "invitation", "api_key", "secret", "agent", "agent_version"],
      ...["publication", "rehearsal", "knowledge_base", "web_source", "document", "file_part"],
      ...["test_set", "test_case", "test_run", "conversation", "run", "attachment", "memory"],
      ...["usage", "audit_entry", "end"],
    ]
  ) assert(types.has(type), `${type} is in the export`);
  assertEquals(lines.at(-1), { type: "end", lines: lines.length - 1 });
  // What names the tenant's things, apart from runs in progress and the link of a page.
  const active = life.running.flatMap((
    { runId, conversationId, file },
  ) => [runId, conversationId, file]);
  const named = words.filter((word) =>
    !active.includes(word) && /^[0-9a-f-]{36}$|@|xylo/.test(word)
  );
  assertEquals(named.filter((word) => !text.includes(word)), []);
  assert(!text.includes(ours) && !text.includes('"Ours"'));

  const document = lines.find(({ type }) => type === "document")!;
  assertEquals(fileOf(lines, document.id), "Opening hours: 9 to 5, xylophones on Mondays.");
  const image = lines.find(({ type, name }) => type === "attachment" && name === "xylophone.png")!;
  assertStringIncludes(fileOf(lines, image.id), "PNG");

  // Nothing that opens a door.
  const [apiKey] = await service.service.apiKeys.list(tenant);
  assert(apiKey !== undefined && text.includes(apiKey.id));
  for (const secret of ["passwordHash", "tops3cret", of.key, '"hash"', "sealed", "tokenHash"]) {
    assert(!text.includes(secret), secret);
  }
  // Owners get the same of their own tenant.
  const own = await readExport(await owner.post("/settings/export"));
  const kinds = new Set(own.lines.map(({ type }) => type));
  assertEquals(kinds, types);
  for (const log of ["installation", tenant]) {
    const { data } = await service.service.audit.list(log, { limit: 2, kind: "tenant" });
    assertEquals(data.map(({ action }) => action), ["export", "export"]);
  }
  for (const { stream } of life.running) await stream[Symbol.asyncDispose]();
});

Deno.test("an export is for operators and owners, also while the tenant is suspended", async () => {
  const whole = await openWholeTenant();
  const { of, operator, owner, words: { life } } = whole;
  await using _ = of;
  const { service, tenant } = of;
  const admin = await Dashboard.join(service, "admin", { tenant, name: "shop-admin" });
  for (const path of ["/settings/export", `/operator/tenants/${tenant}/export`]) {
    for (const answer of [await admin.get(path), await admin.post(path)]) {
      assertEquals(answer.status, 403, path);
      await answer.body?.cancel();
    }
  }
  const foreign = await owner.post(`/operator/tenants/${await service.tenant()}/export`);
  assertEquals(foreign.status, 403);
  await foreign.body?.cancel();
  await service.service.tenantLifecycle.suspend(tenant, "Unpaid.");
  const { lines } = await readExport(await owner.post("/settings/export"));
  assertEquals(lines.at(-1)!.type, "end");
  of.time.advance(16 * 60_000);
  const asked = await operator.post(`/operator/tenants/${tenant}/export`);
  assertEquals(asked.status, 403);
  assertStringIncludes(await asked.text(), "own_password");
  for (const { stream } of life.running) await stream[Symbol.asyncDispose]();
});
