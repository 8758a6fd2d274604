import type { ResourceKind } from "../../lib/schemas/configuration.ts";
import type { ServiceClient } from "../service_client.ts";
import { planCases } from "./plan_cases.ts";
import { planDocuments } from "./plan_documents.ts";
import { fieldChanges, plain } from "./field_changes.ts";
import type { Entry, Folder } from "./folder.ts";
import type { Remote } from "./remote.ts";
import {
  type FileValue,
  fromAgent,
  fromBase,
  fromTestSet,
  type Names,
  ownFields,
  toAgentBody,
  toBaseBody,
  toTestSetBody,
} from "./resource_files.ts";

/** What a step may use when it runs: the ids of resources that exist by then. */
export interface Applier {
  client: ServiceClient;
  /** Names the lock. */
  headers: Record<string, string>;
  idOf(kind: ResourceKind, key: string): string;
  created(kind: ResourceKind, key: string, id: string): void;
}

/** One change of the service. */
export interface Step {
  type: "create" | "change" | "delete";
  /** What it changes, such as `agents/shop`. */
  what: string;
  /** Its fields, as lines. */
  changes: string[];
  run(applier: Applier): Promise<void>;
}

export interface Plan {
  steps: Step[];
  /** What is not in the folder and stays. */
  kept: string[];
  /** What is stored and does not work. */
  warnings: string[];
}

type AnyEntry = Entry<{ key: string; name: string; id?: string | undefined }>;

/**
 * What makes the service equal to the folder, in an order in which every reference exists when it is used.
 * Reads documents and cases of those resources that have them.
 */
export async function makePlan(
  folder: Folder,
  remote: Remote,
  { client, prune }: { client: ServiceClient; prune: boolean },
): Promise<Plan> {
  const plan: Plan = { steps: [], kept: [], warnings: [] };
  const put = (entry: AnyEntry, body: (ids: Names) => unknown) => {
    const step = putStep(entry, { remote, body });
    if (step !== undefined) plan.steps.push(step);
  };
  for (const entry of folder.bases.values()) put(entry, () => toBaseBody(entry.value));
  for (const entry of folder.bases.values()) {
    await planDocuments(plan, entry, { client, prune, id: targetId(entry, remote) });
  }
  for (const entry of inOrder(folder.agents)) put(entry, (ids) => toAgentBody(entry.value, ids));
  for (const entry of folder.sets.values()) put(entry, (ids) => toTestSetBody(entry.value, ids));
  for (const entry of folder.sets.values()) {
    await planCases(plan, entry, { client, prune, id: targetId(entry, remote) });
  }
  planDeletions(plan, folder, { remote, prune });
  return plan;
}

/** The stored resource of an entry: by its key, or by its id if that has no key yet. */
export function targetId(
  { kind, value: { key, id } }: Entry<{ key: string; id?: string | undefined }>,
  remote: Remote,
): string | undefined {
  const keyed = remote.idOf(kind, key);
  if (keyed !== undefined || id === undefined) return keyed;
  const isFree = remote.all(kind).has(id) && remote.keyOf(kind, id) === undefined;
  return isFree ? id : undefined;
}

/** The fields of a stored resource, as its file would have them. */
function storedFields(kind: ResourceKind, id: string, remote: Remote): FileValue {
  switch (kind) {
    case "agents":
      return fromAgent(remote.agents.get(id)!, remote.names);
    case "knowledge-bases":
      return fromBase(remote.bases.get(id)!);
    case "test-sets":
      return fromTestSet(remote.sets.get(id)!, remote.names);
  }
  return kind satisfies never;
}

function putStep(
  entry: AnyEntry,
  { remote, body }: { remote: Remote; body: (ids: Names) => unknown },
): Step | undefined {
  const { kind, value: { key, name } } = entry;
  const id = targetId(entry, remote);
  const what = `${kind}/${key}`;
  const run = (headers: Record<string, string>, query = "") => async (applier: Applier) => {
    const ids = {
      agent: (name: string) => applier.idOf("agents", name),
      base: (name: string) => applier.idOf("knowledge-bases", name),
    };
    const path = `/configuration/${what}${query}`;
    const all = { ...applier.headers, ...headers };
    const stored = await applier.client.json<{ id: string }>("PUT", path, body(ids), all);
    applier.created(kind, key, stored.id);
  };
  if (id === undefined) {
    const changes = [`name: ${plain(JSON.stringify(name))} (${entry.file})`];
    return { type: "create", what, changes, run: run({ "if-none-match": "*" }) };
  }
  const isKeyed = remote.keyOf(kind, id) === key;
  const changes = [
    ...isKeyed ? [] : [`key: (none) -> ${key}`],
    ...fieldChanges(storedFields(kind, id, remote), ownFields(entry.value)),
  ];
  if (changes.length === 0) return undefined;
  const { version } = remote.all(kind).get(id)!;
  const query = isKeyed ? "" : `?adopt=${id}`;
  return { type: "change", what, changes, run: run({ "if-match": `"${version}"` }, query) };
}

/** Agents after those that they ask, so that no check on the way sees an agent that asks itself. */
function inOrder(
  agents: Folder["agents"],
): Folder["agents"] extends Map<string, infer E> ? E[] : never {
  const sorted = new Map<
    string,
    Entry<Folder["agents"] extends Map<string, Entry<infer V>> ? V : never>
  >();
  const visiting = new Set<string>();
  const visit = (key: string) => {
    const entry = agents.get(key);
    if (entry === undefined || sorted.has(key) || visiting.has(key)) return;
    visiting.add(key);
    for (const tool of entry.value.tools) if (tool.type === "agent") visit(tool.agent);
    sorted.set(key, entry);
  };
  for (const key of agents.keys()) visit(key);
  return [...sorted.values()];
}

/** What has a key and is not in the folder. Agents go before the bases that they use. */
function planDeletions(
  plan: Plan,
  folder: Folder,
  { remote, prune }: { remote: Remote; prune: boolean },
): void {
  const kinds = {
    "test-sets": folder.sets,
    agents: folder.agents,
    "knowledge-bases": folder.bases,
  };
  for (const [name, entries] of Object.entries(kinds)) {
    const kind = name as ResourceKind;
    for (const key of remote.keys(kind).filter((key) => !entries.has(key))) {
      const stored = remote.all(kind).get(remote.idOf(kind, key)!)!;
      const what = `${kind}/${key}`;
      if (!prune) {
        plan.kept.push(what);
        continue;
      }
      plan.steps.push({
        ...{ type: "delete", what, changes: [`name: ${plain(JSON.stringify(stored.name))}`] },
        async run({ client, headers }) {
          const all = { ...headers, "if-match": `"${stored.version}"` };
          await client.request("DELETE", `/configuration/${what}`, { headers: all });
        },
      });
    }
  }
}
