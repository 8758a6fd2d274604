import type { TenantRecords } from "../../store/tenants/tenant_records.ts";
import type { AgentService } from "../agent_service.ts";
import { exportLine, undefinedIfDeleted } from "../conversation_lines.ts";
import type { KnowledgeService } from "../knowledge_service.ts";
import type { Publications } from "../publishing/publications.ts";
import type { Rehearsals } from "../rehearsals/rehearsals.ts";
import type { TestCases } from "../test_sets/test_cases.ts";
import type { TestRunReader } from "../test_sets/test_run_reader.ts";
import type { TestSets } from "../test_sets/test_sets.ts";
import type { WebSources } from "../web_sources.ts";
import { allPages, fileLines } from "./export_pages.ts";

export interface ResourceDeps {
  agents: Pick<AgentService, "list" | "listVersions">;
  publications: Pick<Publications, "get">;
  rehearsals: Pick<Rehearsals, "list" | "get">;
  knowledge: Pick<KnowledgeService, "list" | "listDocuments">;
  webSources: Pick<WebSources, "list">;
  records: Pick<TenantRecords, "documentFile">;
  testSets: Pick<TestSets, "list">;
  testCases: Pick<TestCases, "list">;
  testRunReader: Pick<TestRunReader, "list" | "results">;
}

/** What a tenant has made: agents, knowledge and test sets. */
export async function* exportResources(deps: ResourceDeps, tenant: string): AsyncGenerator<string> {
  yield* agentLines(deps, tenant);
  yield* knowledgeLines(deps, tenant);
  yield* testLines(deps, tenant);
}

/** Each agent, its stored versions, what is published of it, and its rehearsals. */
async function* agentLines(
  { agents, publications, rehearsals }: ResourceDeps,
  tenant: string,
): AsyncGenerator<string> {
  for await (const agent of allPages((page) => agents.list(tenant, page))) {
    yield exportLine({ type: "agent", ...agent });
    const of = { agentId: agent.id };
    for await (const one of allPages((page) => agents.listVersions(tenant, agent.id, page))) {
      yield exportLine({ type: "agent_version", ...of, ...{ agent: one } });
    }
    const publication = await publications.get({ tenant, id: agent.id }).catch(undefinedIfDeleted);
    if (publication !== undefined) yield exportLine({ type: "publication", ...of, ...publication });
    const rehearsed = allPages((page) => rehearsals.list({ tenant, agentId: agent.id }, page));
    for await (const one of rehearsed) {
      yield exportLine({ type: "rehearsal", ...of, ...one });
      const name = { tenant, ...of, id: one.id };
      const answers = allPages(async (page) => {
        const { results: data, nextCursor } = await rehearsals.get(name, page);
        return { data, ...nextCursor !== undefined && { nextCursor } };
      });
      for await (const answer of answers) {
        yield exportLine({ type: "rehearsed_run", ...{ rehearsalId: one.id }, ...answer });
      }
    }
  }
}

async function* knowledgeLines(
  { knowledge, webSources, records }: ResourceDeps,
  tenant: string,
): AsyncGenerator<string> {
  for await (const base of allPages((page) => knowledge.list(tenant, page))) {
    yield exportLine({ type: "knowledge_base", ...base });
    const name = { tenant, base: base.id };
    const of = { knowledgeBaseId: base.id };
    for (const source of await webSources.list(name).catch(undefinedIfDeleted) ?? []) {
      yield exportLine({ type: "web_source", ...of, ...source });
    }
    for await (const one of allPages((page) => knowledge.listDocuments(name, page))) {
      yield exportLine({ type: "document", ...of, ...one });
      const file = records.documentFile({ ...name, id: one.id });
      yield* fileLines(file, { of: "document", id: one.id });
    }
  }
}

async function* testLines(
  { testSets, testCases, testRunReader }: ResourceDeps,
  tenant: string,
): AsyncGenerator<string> {
  for await (const set of allPages((page) => testSets.list(tenant, page))) {
    yield exportLine({ type: "test_set", ...set });
    const of = { testSetId: set.id };
    for await (const one of allPages((page) => testCases.list({ tenant, id: set.id }, page))) {
      yield exportLine({ type: "test_case", ...of, ...one });
    }
    const runs = allPages((page) => testRunReader.list({ tenant, set: set.id }, page));
    for await (const run of runs) {
      yield exportLine({ type: "test_run", ...of, ...run });
      const name = { tenant, set: set.id, id: run.id };
      for await (const one of allPages((page) => testRunReader.results(name, page))) {
        yield exportLine({ type: "test_result", ...{ testRunId: run.id }, ...one });
      }
    }
  }
}
