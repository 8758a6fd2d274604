import type { Agent } from "../../lib/schemas/agent.ts";
import type { KeyedResource, ResourceKind } from "../../lib/schemas/configuration.ts";
import type { Document, KnowledgeBase } from "../../lib/schemas/knowledge.ts";
import type { TestCase } from "../../lib/schemas/test_case.ts";
import type { TestSet } from "../../lib/schemas/test_set.ts";
import type { ServiceClient } from "../service_client.ts";
import type { Names } from "./resource_files.ts";

/** What a service has, as read at one time. */
export class Remote {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly bases: ReadonlyMap<string, KnowledgeBase>;
  readonly sets: ReadonlyMap<string, TestSet>;
  /** Of resources that exist, by `kind/key` and by `kind/id`. */
  readonly #ids = new Map<string, string>();
  readonly #keys = new Map<string, string>();

  constructor(
    { agents, bases, sets, keys }: {
      agents: Agent[];
      bases: KnowledgeBase[];
      sets: TestSet[];
      keys: KeyedResource[];
    },
  ) {
    this.agents = new Map(agents.map((one) => [one.id, one]));
    this.bases = new Map(bases.map((one) => [one.id, one]));
    this.sets = new Map(sets.map((one) => [one.id, one]));
    for (const { kind, key, id } of keys) {
      // A key may outlive its resource.
      if (!this.all(kind).has(id)) continue;
      this.#ids.set(`${kind}/${key}`, id);
      this.#keys.set(`${kind}/${id}`, key);
    }
  }

  all(kind: ResourceKind): ReadonlyMap<string, Agent | KnowledgeBase | TestSet> {
    return { agents: this.agents, "knowledge-bases": this.bases, "test-sets": this.sets }[kind];
  }

  idOf(kind: ResourceKind, key: string): string | undefined {
    return this.#ids.get(`${kind}/${key}`);
  }

  keyOf(kind: ResourceKind, id: string): string | undefined {
    return this.#keys.get(`${kind}/${id}`);
  }

  /** The keys of a kind that resources have, in order. */
  keys(kind: ResourceKind): string[] {
    return [...this.#ids.keys()].filter((one) => one.startsWith(`${kind}/`))
      .map((one) => one.slice(kind.length + 1)).sort();
  }

  /** Keys by id; what has no key is shown by its id. */
  get names(): Names {
    return {
      agent: (id) => this.keyOf("agents", id) ?? `(${id})`,
      base: (id) => this.keyOf("knowledge-bases", id) ?? `(${id})`,
    };
  }
}

export async function readRemote(client: ServiceClient): Promise<Remote> {
  return new Remote({
    keys: await client.readAll<KeyedResource>("/configuration/keys"),
    agents: await client.readAll<Agent>("/agents"),
    bases: await client.readAll<KnowledgeBase>("/knowledge-bases"),
    sets: await client.readAll<TestSet>("/test-sets"),
  });
}

/** The documents of a base that people or files uploaded, oldest first. */
export async function readDocuments(client: ServiceClient, base: string): Promise<Document[]> {
  const all = await client.readAll<Document>(`/knowledge-bases/${base}/documents`);
  return all.filter(({ sourceId }) => sourceId === undefined).reverse();
}

/** Oldest first. */
export async function readCases(client: ServiceClient, set: string): Promise<TestCase[]> {
  return await client.readAll<TestCase>(`/test-sets/${set}/cases`);
}
