import { type Agent, type AgentBody } from "../../lib/schemas/agent.ts";
import {
  type AgentFile,
  agentFileSchema,
  DEFAULT_FILE_BUDGET,
  type KnowledgeBaseFile,
  knowledgeBaseFileSchema,
  type TestSetFile,
  testSetFileSchema,
} from "../../lib/schemas/agent_files.ts";
import type { KnowledgeBase } from "../../lib/schemas/knowledge.ts";
import type { TestCase, TestCaseBody } from "../../lib/schemas/test_case.ts";
import type { TestSet, TestSetBody } from "../../lib/schemas/test_set.ts";

/** Finds ids by key, or keys by id. */
export interface Names {
  agent(name: string): string;
  base(name: string): string;
}

/** A file's value without what an absent field means too. */
export type FileValue = Record<string, unknown>;

/** The agent that the API takes. */
export function toAgentBody(file: AgentFile, ids: Names): AgentBody {
  const { $schema: _schema, key: _key, id: _id, knowledgeBase, tools, ...rest } = file;
  return {
    ...rest,
    tools: tools.map((tool) => {
      if (tool.type !== "agent") return tool;
      const { agent, ...others } = tool;
      return { ...others, agentId: ids.agent(agent) };
    }),
    ...knowledgeBase !== undefined && { knowledgeBaseId: ids.base(knowledgeBase) },
  };
}

export function toTestSetBody(file: TestSetFile, ids: Pick<Names, "agent">): TestSetBody {
  const { name, agent, threshold, judge, budgetUsd } = file;
  return { name, agentId: ids.agent(agent), threshold, budgetUsd, ...judge && { judge } };
}

export function toBaseBody({ name, description, language }: KnowledgeBaseFile) {
  return {
    name,
    ...description !== undefined && { description },
    ...language !== undefined && { language },
  };
}

/** What the file of an agent says, without key and id. */
export function fromAgent(agent: Agent, keys: Names): FileValue {
  const { id: _id, createdAt: _c, updatedAt: _u, version: _v, ...body } = agent;
  const { knowledgeBaseId, tools, ...rest } = body;
  return compact({
    ...rest,
    tools: tools.map((tool) => {
      if (tool.type !== "agent") return tool;
      const { agentId, ...others } = tool;
      return { ...others, agent: keys.agent(agentId) };
    }),
    ...knowledgeBaseId !== undefined && { knowledgeBase: keys.base(knowledgeBaseId) },
  });
}

export function fromTestSet(set: TestSet, keys: Pick<Names, "agent">): FileValue {
  const { name, agentId, threshold, judge, budgetUsd } = set;
  return compact({ name, agent: keys.agent(agentId), threshold, judge, budgetUsd });
}

export function fromBase({ name, description, language }: KnowledgeBase): FileValue {
  return compact({ name, description, language });
}

/** The fields of a file that are stored in the resource itself. */
export function ownFields(
  { $schema: _schema, key: _key, id: _id, documents: _documents, titles: _titles, ...rest }:
    & FileValue
    & { cases?: unknown },
): FileValue {
  const { cases: _cases, ...fields } = rest;
  return compact(fields);
}

export function caseBody(
  { id: _id, createdAt: _c, updatedAt: _u, ...body }: TestCase,
): TestCaseBody {
  return body;
}

/** The order of a file's fields. */
export function orderFields(kind: "agents" | "knowledge-bases" | "test-sets", value: FileValue) {
  const order = Object.keys(
    {
      agents: agentFileSchema.shape,
      "knowledge-bases": knowledgeBaseFileSchema.shape,
      "test-sets": testSetFileSchema.shape,
    }[kind],
  );
  const sorted = Object.entries(value).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  return Object.fromEntries(sorted);
}

const EMPTY_MEANS_UNSET = ["tools", "allowedDomains", "allowedOrigins", "variables"];
const FALSE_MEANS_UNSET = ["nativeApps", "followUps"];

/** Leaves out what an absent field means too, so that files stay short and equal values compare equal. */
function compact(value: FileValue): FileValue {
  const entries = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    if (field === undefined) return [];
    if (EMPTY_MEANS_UNSET.includes(name) && Array.isArray(field) && field.length === 0) return [];
    if (FALSE_MEANS_UNSET.includes(name) && field === false) return [];
    if (name === "description" && field === "") return [];
    if (name === "threshold" && field === 1) return [];
    if (name === "budgetUsd" && field === 1) return [];
    if (name !== "budget") return [[name, field]];
    const budget = unlikeDefaults(field as Record<string, unknown>);
    return Object.keys(budget).length === 0 ? [] : [[name, budget]];
  });
  return Object.fromEntries(entries);
}

function unlikeDefaults(budget: Record<string, unknown>): Record<string, unknown> {
  const defaults: Record<string, unknown> = DEFAULT_FILE_BUDGET;
  return Object.fromEntries(
    Object.entries(budget).filter(([name, value]) => value !== defaults[name]),
  );
}
