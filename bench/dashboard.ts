import { TestService } from "@/tests/support/service.ts";
import { signedInCookie } from "@/tests/support/signed_in_cookie.ts";
import type { Benchmark } from "./mod.ts";
import { DASHBOARD_PAGES, type Seeded } from "./support/dashboard_pages.ts";
import { seedAudit } from "./support/seed_audit.ts";
import { seedDashboard } from "./support/seed_dashboard.ts";
import { withStore } from "./support/stores.ts";
import { formatNumber, formatTable } from "./support/table.ts";

const AGENTS = 10_000;
const CONVERSATIONS = 100_000;
const AUDIT_ENTRIES = 10_000;
const KEYS = 50;
const DOCUMENTS = 40;
/** The maximum number that is kept. */
const VERSIONS = 100;
const ROUNDS = 40;
const GOAL_MS = 20;

export const benchmark: Benchmark = {
  about: "pages of the dashboard with 10,000 agents and 100,000 conversations in the store",
  async run() {
    await withStore("file", async (kv) => {
      await using service = await TestService.start({ kv, keepKv: true });
      const startedAt = performance.now();
      const tenant = await service.tenant();
      const { agentIds, conversationIds } = await seedDashboard(kv, {
        ...{ tenant, agents: AGENTS, conversations: CONVERSATIONS, now: Date.now() },
      });
      const { runtime, searchIndexer } = service.service;
      searchIndexer.note(tenant);
      await searchIndexer.indexAll();
      await seedAudit(kv, { tenant, runtime, entries: AUDIT_ENTRIES });
      await createVersions(service, agentIds[0]!);
      for (let n = 1; n <= KEYS; n++) {
        await service.service.apiKeys.create(tenant, { name: `Key ${n}`, scopes: ["agents:read"] });
      }
      const baseId = await createKnowledgeBase(service);
      const seeded = { tenant, agentIds, conversationIds, baseId };
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      console.log(`seeded in ${seconds} s; from the request to the last byte, one at a time`);
      await measurePages(service, seeded);
    });
  },
};

async function createVersions(service: TestService, id: string): Promise<void> {
  const tenant = await service.tenant();
  for (let n = 2; n <= VERSIONS; n++) {
    const patch = { systemPrompt: `You help visitors of shop ${n}. Be brief.` };
    await service.service.agents.patch(tenant, id, { patch });
  }
}

/** A small knowledge base; the `knowledge` benchmark measures searches among 10,000 passages. */
async function createKnowledgeBase(service: TestService): Promise<string> {
  const { documents, knowledge } = service.service;
  const tenant = await service.tenant();
  const { id } = await knowledge.create(tenant, { name: "Handbook" });
  for (let n = 1; n <= DOCUMENTS; n++) {
    const bytes = new TextEncoder().encode(`Shop ${n} is open from ten to four on Sunday.`);
    const upload = { title: `Shop ${n}`, mediaType: "text/plain" as const, bytes };
    await knowledge.addDocument({ tenant, base: id }, upload);
  }
  await documents.whenIdle();
  return id;
}

async function measurePages(service: TestService, seeded: Seeded): Promise<void> {
  const cookie = await signedInCookie(service);
  const rows: string[][] = [];
  for (const { name, path, goalMs = GOAL_MS } of DASHBOARD_PAGES) {
    const load = () => timed(service, { path: path(seeded), cookie });
    const first = await load();
    const times: number[] = [];
    for (let n = 0; n < ROUNDS; n++) times.push((await load()).ms);
    times.sort((a, b) => a - b);
    const [p50, p95] = [0.5, 0.95].map((share) => times[Math.floor(ROUNDS * share)]!);
    const verdict = p50! < goalMs ? "yes" : `NO (${goalMs})`;
    const figures = [first.ms, p50!, p95!, first.bytes / 1024].map(formatNumber);
    rows.push([name, ...figures, verdict]);
  }
  const head = ["page", "first ms", "p50 ms", "p95 ms", "KiB", "p50 in goal"];
  console.log(formatTable(head, rows));
}

async function timed(
  service: TestService,
  { path, cookie }: { path: string; cookie: string },
): Promise<{ ms: number; bytes: number }> {
  const startedAt = performance.now();
  const response = await service.fetch(path, { headers: { cookie } });
  const { length } = await response.bytes();
  const ms = performance.now() - startedAt;
  if (response.status !== 200) throw new Error(`${path} responded with ${response.status}`);
  return { ms, bytes: length };
}
