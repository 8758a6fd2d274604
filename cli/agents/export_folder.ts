import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { canonicalJson } from "../../lib/platform/canonical_json.ts";
import { isJsonObject } from "../../lib/platform/json.ts";
import { RESOURCE_KINDS, type ResourceKind } from "../../lib/schemas/configuration.ts";
import type { Document } from "../../lib/schemas/knowledge.ts";
import { pathFromCaller, UsageError } from "../arguments.ts";
import type { ServiceClient } from "../service_client.ts";
import { documentPaths } from "./document_paths.ts";
import { FOLDERS } from "./folder.ts";
import { parseSource } from "./parse_source.ts";
import { FolderReader } from "./read_files.ts";
import { readCases, readDocuments, readRemote, type Remote } from "./remote.ts";
import {
  caseBody,
  type FileValue,
  fromAgent,
  fromBase,
  fromTestSet,
  type Names,
  orderFields,
} from "./resource_files.ts";
import { toKeys } from "./to_keys.ts";

/** The file of each resource that is there already, by `kind/key`. */
async function existingFiles(root: string): Promise<Map<string, string>> {
  const reader = new FolderReader(root);
  const files = new Map<string, string>();
  for (const kind of RESOURCE_KINDS) {
    for await (const { file, bytes } of reader.sources(FOLDERS[kind].folder)) {
      const parsed = parseSource(bytes, file);
      const value = "source" in parsed ? parsed.source.value : undefined;
      if (isJsonObject(value) && typeof value.key === "string") {
        files.set(`${kind}/${value.key}`, file);
      }
    }
  }
  return files;
}

interface ExportContext {
  client: ServiceClient;
  remote: Remote;
  /** Of everything that is exported. */
  names: Names & { key(kind: ResourceKind, id: string): string };
  root: string;
  existing: ReadonlyMap<string, string>;
  /** The address of the service, for the schemas. */
  url: string;
}

/** Writes everything of a tenant as files. Returns what was written. */
export async function exportFolder(
  { folder, force, url }: { folder: string; force: boolean; url: string },
  client: ServiceClient,
): Promise<{ files: number; unkeyed: number }> {
  const root = await openFolder(pathFromCaller(folder), force);
  const remote = await readRemote(client);
  const keys = toKeys(remote);
  const key = (kind: ResourceKind, id: string) => keys.get(`${kind}/${id}`) ?? id;
  const names = {
    key,
    agent: (id: string) => key("agents", id),
    base: (id: string) => key("knowledge-bases", id),
  };
  const context = { client, remote, names, root, url, existing: await existingFiles(root) };
  let [files, unkeyed] = [0, 0];
  for (const kind of RESOURCE_KINDS) {
    for (const id of [...remote.all(kind).keys()].reverse()) {
      if (remote.keyOf(kind, id) === undefined) unkeyed++;
      files += await writeResource(context, kind, id);
    }
  }
  return { files, unkeyed };
}

/** The real path of a folder that is new or empty, unless `force`. */
async function openFolder(path: string, force: boolean): Promise<string> {
  await Deno.mkdir(path, { recursive: true });
  const root = await Deno.realPath(path);
  if (!force) {
    for await (const { name } of Deno.readDir(root)) {
      if (name.startsWith(".")) continue;
      throw new UsageError(`${path} is not empty; give --force to overwrite files in it`);
    }
  }
  return root;
}

async function writeResource(
  context: ExportContext,
  kind: ResourceKind,
  id: string,
): Promise<number> {
  const { remote, names, url, existing } = context;
  const { folder, schemaName } = FOLDERS[kind];
  const key = names.key(kind, id);
  const isKeyed = remote.keyOf(kind, id) !== undefined;
  const { fields, files } = await fieldsOf(context, kind, id);
  const value = orderFields(kind, { key, ...!isKeyed && { id }, ...fields });
  const schema = `# yaml-language-server: $schema=${url}/schemas/${schemaName}.json`;
  const file = existing.get(`${kind}/${key}`) ?? `${folder}/${key}.yaml`;
  const isJson = file.toLowerCase().endsWith(".json");
  const text = isJson ? `${JSON.stringify(value, null, 2)}\n` : `${schema}\n${toYaml(value)}`;
  await writeFile(context, file, new TextEncoder().encode(text));
  return files + 1;
}

/** What the file of a resource says; writes the documents of a base beside it. */
async function fieldsOf(
  { client, remote, names, ...context }: ExportContext,
  kind: ResourceKind,
  id: string,
): Promise<{ fields: FileValue; files: number }> {
  switch (kind) {
    case "agents":
      return { fields: fromAgent(remote.agents.get(id)!, names), files: 0 };
    case "test-sets": {
      const cases = (await readCases(client, id)).map(caseBody).map(withoutDefaults);
      const fields = fromTestSet(remote.sets.get(id)!, names);
      return { fields: { ...fields, ...cases.length > 0 && { cases } }, files: 0 };
    }
    case "knowledge-bases": {
      const fields = fromBase(remote.bases.get(id)!);
      const documents = await readDocuments(client, id);
      if (documents.length === 0) return { fields, files: 0 };
      const folder = names.key(kind, id);
      const all = { client, remote, names, ...context };
      const titles = await writeDocuments(all, { id, folder, documents });
      const hasTitles = Object.keys(titles).length > 0;
      return {
        fields: { ...fields, documents: folder, ...hasTitles && { titles } },
        files: documents.length,
      };
    }
  }
  return kind satisfies never;
}

/** Returns the titles that are not the path of their file. */
async function writeDocuments(
  context: ExportContext,
  { id, folder, documents }: { id: string; folder: string; documents: readonly Document[] },
): Promise<Record<string, string>> {
  const titles: Record<string, string> = {};
  for (const [document, path] of documentPaths(documents)) {
    const from = `/knowledge-bases/${id}/documents/${document.id}/content`;
    const bytes = await (await context.client.request("GET", from)).bytes();
    const file = `${FOLDERS["knowledge-bases"].folder}/${folder}/${path}`;
    await writeFile(context, file, bytes);
    if (path !== document.title) titles[path] = document.title;
  }
  return titles;
}

/** Never follows a link out of the folder, which somebody may have put there before. */
async function writeFile(
  { root }: Pick<ExportContext, "root">,
  file: string,
  bytes: Uint8Array,
): Promise<void> {
  const full = join(root, file);
  await Deno.mkdir(dirname(full), { recursive: true });
  const folder = await Deno.realPath(dirname(full));
  const info = await Deno.lstat(full).catch(() => undefined);
  if (!`${folder}/`.startsWith(`${root}/`) || info?.isSymlink) {
    throw new Error(`${file} is a link, which is not followed`);
  }
  await Deno.writeFile(full, bytes);
}

function withoutDefaults({ enabled, ...rest }: ReturnType<typeof caseBody>) {
  return { ...rest, ...!enabled && { enabled } };
}

/** Long texts as blocks. */
export function toYaml(value: unknown): string {
  const text = stringify(value, {
    blockQuote: "literal",
    lineWidth: 100,
    aliasDuplicateObjects: false,
  });
  const parsed = parseSource(new TextEncoder().encode(text), "");
  const isSame = "source" in parsed && canonicalJson(parsed.source.value) === canonicalJson(value);
  // JSON is YAML too, and has no text that it cannot express.
  return isSame ? text : `${JSON.stringify(value, null, 2)}\n`;
}
