import { ApiError, parseOrThrow } from "../../schemas/api_error.ts";
import type { ModelAccess } from "../../billing/model_access.ts";
import type { Agent } from "../../schemas/agent.ts";
import {
  type CheckResult,
  type ConfigurationLock,
  type ConfiguredResource,
  type KeyedResource,
  lockBodySchema,
  type ResourceKind,
} from "../../schemas/configuration.ts";
import { type KnowledgeBase, knowledgeBaseBodySchema } from "../../schemas/knowledge.ts";
import { type TestSet, testSetBodySchema } from "../../schemas/test_set.ts";
import type { ConfigurationLockStore } from "../../store/configuration/configuration_lock_store.ts";
import { fencedKv } from "../../store/configuration/fenced_kv.ts";
import {
  type BoundKey,
  ResourceKeyStore,
  type ResourceName,
} from "../../store/configuration/resource_key_store.ts";
import type { Page, PageRequest } from "../../store/values/page.ts";
import { type CommitStep, commitStep } from "../../store/values/record.ts";
import type { SecretStore } from "../../store/credentials/secret_store.ts";
import type { AgentService } from "../agent_service.ts";
import { checkConfiguration } from "./check_configuration.ts";
import type { CursorSigner } from "../cursor_signer.ts";
import type { KnowledgeService } from "../knowledge_service.ts";
import type { TestCases } from "../test_sets/test_cases.ts";
import type { TestSets } from "../test_sets/test_sets.ts";

/** The services that change what files describe. */
export interface ConfigurableServices {
  agents: AgentService;
  knowledge: KnowledgeService;
  testSets: TestSets;
  testCases: TestCases;
}

interface ConfigurationDeps {
  kv: Deno.Kv;
  locks: ConfigurationLockStore;
  cursors: CursorSigner;
  /** The services of this process. */
  services: ConfigurableServices;
  /** The same on another handle of the store. */
  open: (kv: Deno.Kv) => ConfigurableServices;
  access: Pick<ModelAccess, "issues">;
  secrets: Pick<SecretStore, "list">;
}

/** The lock of a request, and what it expects of the resource. */
export interface PutOptions {
  body: unknown;
  /** The id of the lock that the request names. */
  lock?: string | undefined;
  ifMatch?: readonly number[] | undefined;
  ifNoneMatch?: readonly number[] | "any" | undefined;
  /** The stored resource that an unused key shall name. */
  adopt?: string | undefined;
}

type Resource = Agent | KnowledgeBase | TestSet;

/**
 * Agents, knowledge bases and test sets by a key of the tenant's choice, and the lock for those who apply
 * files. Methods throw `ApiError`; 409 for a lock that is not held, 412 for an unexpected version.
 */
export class Configuration {
  readonly #deps: ConfigurationDeps;

  constructor(deps: ConfigurationDeps) {
    this.#deps = deps;
  }

  async findLock(tenant: string): Promise<ConfigurationLock> {
    const lock = await this.#deps.locks.find(tenant);
    if (lock === undefined) throw new ApiError("not_found", "the configuration is not locked");
    return lock;
  }

  async lock(tenant: string, body: unknown): Promise<ConfigurationLock> {
    return await this.#deps.locks.acquire(tenant, parseOrThrow(lockBodySchema, body));
  }

  async unlock(tenant: string, id: string): Promise<void> {
    await this.#deps.locks.release(tenant, id);
  }

  /** The services for a request: those of one that names a lock reject every change once it is lost. */
  async services(tenant: string, lock: string | undefined): Promise<ConfigurableServices> {
    return (await this.#scope(tenant, lock)).services;
  }

  /** Everything that is wrong with these resources; stores nothing. */
  async check(tenant: string, body: unknown): Promise<CheckResult> {
    const { services: { agents }, access, secrets } = this.#deps;
    return await checkConfiguration(tenant, body, { agents, access, secrets });
  }

  list(tenant: string, page: PageRequest): Promise<Page<KeyedResource>> {
    const { kv, cursors } = this.#deps;
    const load = (opened: PageRequest) => new ResourceKeyStore(kv).list(tenant, opened);
    return cursors.page(page, { list: `resource_keys ${tenant}`, load });
  }

  /** Creates the resource of a key, or replaces it as a whole. */
  async put(name: ResourceName, options: PutOptions): Promise<ConfiguredResource> {
    const { services, bindings } = await this.#scope(name.tenant, options.lock);
    const bound = await this.#adopt(await bindings.find(name), { ...options, services, bindings });
    const current = bound.id && await findResource(services, name, bound.id);
    if (!current) {
      if (options.ifMatch !== undefined) noResource(name);
      const created = await create(services, { bound, bindings, body: options.body });
      return toConfigured(name, created);
    }
    if (isUnwanted(options.ifNoneMatch, current.version)) {
      throw new ApiError("version_conflict", `the key ${name.key} is in use`);
    }
    const { body, ifMatch } = options;
    const replaced = await replace(services, { name, id: current.id, body, ifMatch });
    return toConfigured(name, replaced);
  }

  /** Deletes a resource and frees its key. */
  async delete(
    name: ResourceName,
    { lock, ifMatch }: Pick<PutOptions, "lock" | "ifMatch">,
  ): Promise<void> {
    const { services, bindings } = await this.#scope(name.tenant, lock);
    const bound = await bindings.find(name);
    if (bound.id === undefined) return noResource(name);
    await deleteResource(services, name, { id: bound.id, ifMatch });
    await bindings.unbind(bound);
  }

  async #scope(tenant: string, lock: string | undefined) {
    const { kv, locks, services, open } = this.#deps;
    if (lock === undefined) return { services, bindings: new ResourceKeyStore(kv) };
    const fenced = fencedKv(kv, { fence: await locks.fence(tenant, lock), locks });
    return { services: open(fenced), bindings: new ResourceKeyStore(fenced) };
  }

  /** Gives an unused key to a stored resource. */
  async #adopt(
    bound: BoundKey,
    { adopt, services, bindings }: Pick<PutOptions, "adopt"> & {
      services: ConfigurableServices;
      bindings: ResourceKeyStore;
    },
  ): Promise<BoundKey> {
    if (adopt === undefined || bound.id === adopt) return bound;
    const isUsed = bound.id !== undefined &&
      await findResource(services, bound, bound.id) !== undefined;
    const other = await bindings.keyOf({ ...bound, id: adopt });
    if (isUsed || other !== undefined) {
      const message = isUsed ? `the key ${bound.key} is in use` : `it has the key ${other}`;
      throw new ApiError("version_conflict", message);
    }
    if (await findResource(services, bound, adopt) === undefined) noResource(bound);
    if (!await bindings.bindNow(bound, adopt)) throw keyConflict(bound);
    return await bindings.find(bound);
  }
}

async function create(
  services: ConfigurableServices,
  { bound, bindings, body }: { bound: BoundKey; bindings: ResourceKeyStore; body: unknown },
): Promise<Resource> {
  const { tenant, kind } = bound;
  const commit: CommitStep<Resource> = async (step, { id }) => {
    bindings.bind(step, bound, id);
    if (await commitStep(step)) return true;
    const now = await bindings.find(bound);
    // Each further try of the resource's store would fail too.
    if (now.entry.versionstamp !== bound.entry.versionstamp) throw keyConflict(bound);
    return false;
  };
  switch (kind) {
    case "agents":
      return await services.agents.create(tenant, body, { commit });
    case "knowledge-bases":
      return await services.knowledge.create(tenant, body, { commit });
    case "test-sets":
      return await services.testSets.create(tenant, body, { commit });
  }
  return kind satisfies never;
}

async function replace(
  { agents, knowledge, testSets }: ConfigurableServices,
  { name: { tenant, kind }, id, body, ifMatch }: Pick<PutOptions, "body" | "ifMatch"> & {
    name: ResourceName;
    id: string;
  },
): Promise<Resource> {
  switch (kind) {
    case "agents":
      return await agents.replace(tenant, id, { body, ifMatch });
    case "knowledge-bases": {
      const { name, description = "", language = null } = parseOrThrow(
        knowledgeBaseBodySchema,
        body,
      );
      return await knowledge.patch(tenant, id, { patch: { name, description, language }, ifMatch });
    }
    case "test-sets": {
      const { judge = null, ...rest } = parseOrThrow(testSetBodySchema, body);
      return await testSets.patch({ tenant, id }, { patch: { ...rest, judge }, ifMatch });
    }
  }
  return kind satisfies never;
}

async function findResource(
  { agents, knowledge, testSets }: ConfigurableServices,
  { tenant, kind }: { tenant: string; kind: ResourceKind },
  id: string,
): Promise<Resource | undefined> {
  switch (kind) {
    case "agents":
      return await agents.find(tenant, id);
    case "knowledge-bases":
      return await knowledge.find(tenant, id);
    case "test-sets":
      return await testSets.find({ tenant, id });
  }
  return kind satisfies never;
}

async function deleteResource(
  { agents, knowledge, testSets }: ConfigurableServices,
  { tenant, kind }: { tenant: string; kind: ResourceKind },
  { id, ifMatch }: { id: string; ifMatch?: readonly number[] | undefined },
): Promise<void> {
  switch (kind) {
    case "agents":
      return await agents.delete(tenant, id, { ifMatch });
    case "knowledge-bases":
      return await knowledge.delete(tenant, id, { ifMatch });
    case "test-sets":
      return await testSets.delete({ tenant, id }, { ifMatch });
  }
  return kind satisfies never;
}

function isUnwanted(ifNoneMatch: PutOptions["ifNoneMatch"], version: number): boolean {
  return ifNoneMatch === "any" || ifNoneMatch?.includes(version) === true;
}

function toConfigured({ kind, key }: ResourceName, { id, version }: Resource): ConfiguredResource {
  return { kind, key, id, version };
}

function keyConflict({ key }: ResourceName): ApiError {
  return new ApiError("version_conflict", `the key ${key} was used in between`);
}

function noResource({ key }: ResourceName): never {
  throw new ApiError("not_found", `nothing has the key ${key}`);
}
