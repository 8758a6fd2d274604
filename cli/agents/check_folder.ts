import type { CheckResult, ResourceKind } from "../../lib/schemas/configuration.ts";
import type { ServiceClient } from "../service_client.ts";
import { type Folder, FolderError, issuesIn, referenceIssues } from "./folder.ts";
import type { FolderIssue } from "./parse_source.ts";
import { targetId } from "./plan.ts";
import type { Remote } from "./remote.ts";
import { toAgentBody, toTestSetBody } from "./resource_files.ts";

/** Below the body limit of the API, whose JSON escapes more than this one at most. */
const BATCH_BYTES = 700_000;
const BATCH_SIZE = 500;
/** Stands for the id that a resource of this folder gets. */
const NEW = "00000000-0000-4000-8000-000000000000";
/** Checked by `referenceIssues`, because only the folder knows what will exist. */
const NOT_YET = ["unknown_agent", "unknown_knowledge_base"];

type Checked = { of: "agents" | "testSets"; sent: { id?: string; body: unknown }; entry: Located };
type Located = Parameters<typeof issuesIn>[0];

/** Everything that the service would reject, before anything is changed. Throws `FolderError`. */
export async function checkFolder(
  folder: Folder,
  { client, remote, prune }: { client: ServiceClient; remote: Remote; prune: boolean },
): Promise<void> {
  // What is pruned cannot be referred to.
  const hasRemote = (kind: ResourceKind, key: string) =>
    !prune && remote.idOf(kind, key) !== undefined;
  const issues: FolderIssue[] = [...await referenceIssues(folder, hasRemote)];
  const ids = {
    agent: (key: string) => remote.idOf("agents", key) ?? NEW,
    base: (key: string) => remote.idOf("knowledge-bases", key) ?? NEW,
  };
  const all: Checked[] = [];
  for (const entry of folder.agents.values()) {
    const id = targetId(entry, remote);
    const sent = { ...id !== undefined && { id }, body: toAgentBody(entry.value, ids) };
    all.push({ of: "agents", sent, entry });
  }
  for (const entry of folder.sets.values()) {
    all.push({ of: "testSets", sent: { body: toTestSetBody(entry.value, ids) }, entry });
  }
  for (const batch of batches(all)) issues.push(...await checkBatch(client, batch));
  if (issues.length > 0) throw new FolderError(issues);
}

async function checkBatch(client: ServiceClient, batch: Checked[]): Promise<FolderIssue[]> {
  const of = (kind: Checked["of"]) => batch.filter((one) => one.of === kind);
  const sent = (kind: Checked["of"]) => of(kind).map((one) => one.sent);
  const { issues } = await client.json<CheckResult>("POST", "/configuration/check", {
    ...{ agents: sent("agents"), testSets: sent("testSets") },
  });
  return issues.filter(({ code, path }) => !NOT_YET.includes(code) && !isCircle(code, path))
    .flatMap((issue) => {
      const [, kind, n, path = ""] = /^(agents|testSets)\.(\d+)\.?(.*)$/.exec(issue.path) ?? [];
      const entry = of(kind as Checked["of"])[Number(n)]?.entry;
      return entry === undefined ? [] : issuesIn(entry, [{ ...issue, path }]);
    });
}

/** What the service has may ask in circles with one file of several; the folder is checked as a whole. */
function isCircle(code: string, path: string): boolean {
  return path.endsWith(".agentId") && ["agent_cycle", "agents_too_deep"].includes(code);
}

function batches(all: readonly Checked[]): Checked[][] {
  const found: Checked[][] = [];
  let bytes = 0;
  for (const one of all) {
    const size = new TextEncoder().encode(JSON.stringify(one.sent)).length;
    const last = found.at(-1);
    const fits = last !== undefined && last.length < BATCH_SIZE && bytes + size <= BATCH_BYTES;
    if (fits) last.push(one);
    else found.push([one]);
    bytes = fits ? bytes + size : size;
  }
  return found;
}
