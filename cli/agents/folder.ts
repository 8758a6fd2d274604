import { z } from "zod";
import { askedAgentIssues } from "../../lib/services/asked_agent_issues.ts";
import { checkSchemas } from "../../lib/services/test_sets/test_cases.ts";
import { agentBodySchema } from "../../lib/schemas/agent.ts";
import {
  type AgentFile,
  agentFileSchema,
  FILE_SCHEMAS,
  type KnowledgeBaseFile,
  type TestSetFile,
} from "../../lib/schemas/agent_files.ts";
import { plainTitle } from "../../lib/schemas/document_title.ts";
import { ApiError, toIssues } from "../../lib/schemas/api_error.ts";
import type { ResourceKind } from "../../lib/schemas/configuration.ts";
import type { ValidationIssue } from "../../lib/schemas/error_codes.ts";
import { type FolderIssue, parseSource, type Source } from "./parse_source.ts";
import { type DocumentFile, FolderReader } from "./read_files.ts";
import { toAgentBody } from "./resource_files.ts";

/** A resource of a folder. */
export interface Entry<T> {
  kind: ResourceKind;
  /** Relative to the folder. */
  file: string;
  value: T;
  source: Source;
}

export type BaseEntry = Entry<KnowledgeBaseFile> & {
  /** With their titles; `undefined` if the file has no documents folder. */
  documents: (DocumentFile & { title: string })[] | undefined;
};

/** What a folder describes, by key. */
export interface Folder {
  agents: Map<string, Entry<AgentFile>>;
  bases: Map<string, BaseEntry>;
  sets: Map<string, Entry<TestSetFile>>;
}

export const FOLDERS = {
  agents: { folder: "agents", schema: FILE_SCHEMAS.agent, schemaName: "agent" },
  "knowledge-bases": {
    ...{ folder: "knowledge", schema: FILE_SCHEMAS["knowledge-base"] },
    schemaName: "knowledge-base",
  },
  "test-sets": { folder: "test-sets", schema: FILE_SCHEMAS["test-set"], schemaName: "test-set" },
} as const satisfies Record<
  ResourceKind,
  { folder: string; schema: z.ZodType; schemaName: string }
>;

/** Stands for the id that a resource has or gets. */
const PLACEHOLDER = "00000000-0000-4000-8000-000000000000";

/** The files of a folder are wrong. */
export class FolderError extends Error {
  override name = "FolderError";
  readonly issues: readonly FolderIssue[];

  constructor(issues: readonly FolderIssue[]) {
    super(
      issues.length === 1 ? "the folder has an error" : `the folder has ${issues.length} errors`,
    );
    this.issues = issues;
  }
}

/** Reads and checks a folder by itself, without a service. Throws `FolderError` with all errors. */
export async function loadFolder(path: string): Promise<Folder> {
  const root = await Deno.realPath(path).catch(() => undefined);
  if (root === undefined || !(await Deno.stat(root)).isDirectory) {
    throw new FolderError([{ file: path, field: "", message: "is not a folder" }]);
  }
  const reader = new FolderReader(root);
  const agents = await loadKind<AgentFile>(reader, "agents");
  const sets = await loadKind<TestSetFile>(reader, "test-sets");
  const bases = new Map<string, BaseEntry>();
  for (const [key, entry] of await loadKind<KnowledgeBaseFile>(reader, "knowledge-bases")) {
    bases.set(key, { ...entry, documents: await loadDocuments(reader, entry) });
  }
  if (agents.size + sets.size + bases.size === 0 && reader.issues.length === 0) {
    const message = "has no agents/*.yaml, knowledge/*.yaml or test-sets/*.yaml";
    throw new FolderError([{ file: path, field: "", message }]);
  }
  for (const entry of agents.values()) {
    const ids = { agent: () => PLACEHOLDER, base: () => PLACEHOLDER };
    const parsed = agentBodySchema.safeParse(toAgentBody(entry.value, ids));
    if (!parsed.success) reader.issues.push(...issuesIn(entry, toIssues(parsed.error)));
  }
  for (const entry of sets.values()) reader.issues.push(...await caseIssues(entry));
  if (reader.issues.length > 0) throw new FolderError(reader.issues);
  return { agents, bases, sets };
}

/** References to keys that neither the folder nor the service has, and agents that ask each other in circles. */
export async function referenceIssues(
  { agents, bases, sets }: Folder,
  hasRemote: (kind: ResourceKind, key: string) => boolean,
): Promise<FolderIssue[]> {
  const issues: FolderIssue[] = [];
  const unknown = (entry: Entry<unknown>, path: string, what: string) =>
    issues.push(...issuesIn(entry, [{ path, code: "", message: `${what} has this key` }]));
  const hasAgent = (key: string) => agents.has(key) || hasRemote("agents", key);
  for (const entry of agents.values()) {
    const { key, knowledgeBase, tools } = entry.value;
    if (
      knowledgeBase !== undefined && !bases.has(knowledgeBase) &&
      !hasRemote("knowledge-bases", knowledgeBase)
    ) unknown(entry, "knowledgeBase", "no knowledge base");
    tools.forEach((tool, n) => {
      if (tool.type === "agent" && !hasAgent(tool.agent)) {
        unknown(entry, `tools.${n}.agent`, "no agent");
      }
    });
    const find = (of: string) => {
      const asked = agents.get(of)?.value;
      return Promise.resolve(asked && { id: of, tools: withKeys(asked) });
    };
    const found = await askedAgentIssues({
      id: key,
      agent: { tools: withKeys(entry.value) },
      find,
    });
    const inFolder = found.filter(({ code }) => code !== "unknown_agent");
    issues.push(...issuesIn(entry, inFolder));
  }
  for (const entry of sets.values()) {
    if (!hasAgent(entry.value.agent)) unknown(entry, "agent", "no agent");
  }
  return issues;
}

/** The issues of a value, at the lines of its file. */
export function issuesIn(
  { file, source }: Pick<Entry<unknown>, "file" | "source">,
  issues: readonly ValidationIssue[],
): FolderIssue[] {
  return issues.map(({ path, message }) => {
    const field = path.replace(/^knowledgeBaseId\b/, "knowledgeBase")
      .replace(/^(tools\.\d+)\.agentId\b/, "$1.agent").replace(/^agentId\b/, "agent");
    const parts = field === "" ? [] : field.split(".");
    return { file, line: source.lineOf(parts), field, message };
  });
}

async function loadKind<T extends { key: string; id?: string | undefined }>(
  reader: FolderReader,
  kind: ResourceKind,
): Promise<Map<string, Entry<T>>> {
  const { folder, schema } = FOLDERS[kind];
  const entries = new Map<string, Entry<T>>();
  const ids = new Map<string, string>();
  for await (const { file, bytes } of reader.sources(folder)) {
    const parsed = parseSource(bytes, file);
    if ("issues" in parsed) {
      reader.issues.push(...parsed.issues);
      continue;
    }
    const { source } = parsed;
    const checked = schema.safeParse(source.value);
    if (!checked.success) {
      reader.issues.push(...issuesIn({ file, source }, toIssues(checked.error)));
      continue;
    }
    const value = checked.data as unknown as T;
    const entry = { kind, file, source, value };
    const taken = (field: string, other: string) =>
      reader.issues.push(...issuesIn(entry, [
        { path: field, code: "", message: `is also used in ${other}` },
      ]));
    const same = entries.get(value.key);
    if (same !== undefined) taken("key", same.file);
    else entries.set(value.key, entry);
    const other = value.id && ids.get(value.id);
    if (other) taken("id", other);
    if (value.id !== undefined) ids.set(value.id, file);
  }
  return entries;
}

async function loadDocuments(
  reader: FolderReader,
  entry: Entry<KnowledgeBaseFile>,
): Promise<BaseEntry["documents"]> {
  const { documents: folder, titles = {} } = entry.value;
  const fail = (path: string, message: string) =>
    reader.issues.push(...issuesIn(entry, [{ path, code: "", message }]));
  if (folder === undefined) {
    if (Object.keys(titles).length > 0) fail("titles", "needs documents, the folder they are in");
    return undefined;
  }
  const below = folder.replace(/^\.\//, "").replace(/\/+$/, "");
  if (below === "" || below === "." || below.startsWith("/") || below.split("/").includes("..")) {
    fail("documents", "must be a folder below the one of this file");
    return undefined;
  }
  const found = await reader.documents(`${FOLDERS["knowledge-bases"].folder}/${below}`);
  const paths = new Set(found.map(({ path }) => path));
  for (const path of Object.keys(titles)) {
    // A path has dots, so its field cannot be named with them.
    if (!paths.has(path)) fail("titles", `names ${path}, which is not in ${below}`);
  }
  return found.map((file) => ({ ...file, title: plainTitle(titles[file.path] ?? file.path) }));
}

/** A JSON Schema of an expectation that cannot be compiled would fail every answer. */
async function caseIssues(entry: Entry<TestSetFile>): Promise<FolderIssue[]> {
  try {
    await checkSchemas(entry.value.cases, (n) => `cases.${n}.`);
    return [];
  } catch (error) {
    const issues = error instanceof ApiError && error.details?.issues;
    if (!Array.isArray(issues)) throw error;
    return issuesIn(entry, issues);
  }
}

/** Tools whose agents are named by key instead of id. */
function withKeys({ tools }: z.infer<typeof agentFileSchema>) {
  return toAgentBody({ tools } as AgentFile, { agent: (key) => key, base: (key) => key }).tools;
}
