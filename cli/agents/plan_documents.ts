import type { Document } from "../../lib/schemas/knowledge.ts";
import { plainTitle } from "../../lib/schemas/document_title.ts";
import type { ServiceClient } from "../service_client.ts";
import { plain } from "./field_changes.ts";
import type { BaseEntry } from "./folder.ts";
import type { Applier, Plan } from "./plan.ts";
import { readDocuments } from "./remote.ts";
import { sha256 } from "./read_files.ts";

type LocalDocument = NonNullable<BaseEntry["documents"]>[number];

/** A document to upload, and the stored one that it replaces. */
type Pair = { local: LocalDocument; stored: Document | undefined };

/** Adds the changes of a base's documents. Those with an equal title and hash are not sent again. */
export async function planDocuments(
  plan: Plan,
  { value: { key }, documents }: BaseEntry,
  { client, prune, id }: { client: ServiceClient; prune: boolean; id: string | undefined },
): Promise<void> {
  if (documents === undefined) return;
  const stored = id === undefined ? [] : await readDocuments(client, id);
  const { changed, extra } = matchDocuments(documents, stored);
  const what = (title: string) => `knowledge-bases/${key}/documents/${plain(title)}`;
  const isReplaced = new Set(changed.map(({ stored }) => stored));
  for (const one of stored) {
    if (one.state !== "failed" || isReplaced.has(one)) continue;
    const why = plain(one.error?.message ?? "unknown");
    plan.warnings.push(`${what(one.title)} cannot be searched: ${why}`);
  }
  for (const { local, stored } of changed) {
    plan.steps.push({
      type: stored === undefined ? "create" : "change",
      what: what(local.title),
      changes: describe(local, stored),
      run: (applier) => upload(applier, key, { local, stored }),
    });
  }
  for (const one of extra) {
    if (!prune) {
      plan.kept.push(what(one.title));
      continue;
    }
    plan.steps.push({
      ...{ type: "delete", what: what(one.title), changes: [`size: ${sizeOf(one.bytes)}`] },
      async run({ client, headers, idOf }) {
        const path = `/knowledge-bases/${idOf("knowledge-bases", key)}/documents/${one.id}`;
        await client.request("DELETE", path, { headers: { ...headers, ...ifMatch(one) } });
      },
    });
  }
}

/** Pairs by title and hash, then by title, then by hash: a renamed file replaces what it was. */
export function matchDocuments(
  locals: readonly LocalDocument[],
  all: readonly Document[],
): { changed: Pair[]; extra: Document[] } {
  const stored = new Set(all);
  const take = (is: (one: Document) => boolean) => {
    const found = [...stored].find(is);
    if (found !== undefined) stored.delete(found);
    return found;
  };
  const isSame = (local: LocalDocument) => (one: Document) =>
    plainTitle(one.title) === local.title && one.sha256 === local.sha256;
  let open = locals.filter((local) => take(isSame(local)) === undefined);
  const changed: Pair[] = [];
  const hasTitle = (local: LocalDocument) => (one: Document) =>
    plainTitle(one.title) === local.title;
  const hasContent = (local: LocalDocument) => (one: Document) => one.sha256 === local.sha256;
  for (const isOf of [hasTitle, hasContent]) {
    open = open.filter((local) => {
      const found = take(isOf(local));
      if (found !== undefined) changed.push({ local, stored: found });
      return found === undefined;
    });
  }
  changed.push(...open.map((local) => ({ local, stored: undefined })));
  changed.sort((a, b) => a.local.path < b.local.path ? -1 : 1);
  return { changed, extra: [...stored] };
}

function describe(local: LocalDocument, stored: Document | undefined): string[] {
  if (stored === undefined) return [`size: ${sizeOf(local.bytes)}`];
  return [
    ...plainTitle(stored.title) === local.title
      ? []
      : [`title: ${plain(stored.title)} -> ${plain(local.title)}`],
    ...stored.sha256 === local.sha256
      ? []
      : [`content: ${sizeOf(stored.bytes)} -> ${sizeOf(local.bytes)}`],
  ];
}

async function upload(
  { client, headers, idOf }: Applier,
  key: string,
  { local, stored }: Pair,
): Promise<void> {
  const bytes = await Deno.readFile(local.full);
  if (sha256(bytes) !== local.sha256) throw new Error(`${local.path} was changed meanwhile`);
  const body = new FormData();
  // The name's end helps to recognize the type.
  body.set("file", new File([bytes], local.path.split("/").at(-1)!));
  body.set("title", local.title);
  const path = `/knowledge-bases/${idOf("knowledge-bases", key)}/documents`;
  if (stored === undefined) {
    await client.request("POST", path, { body, headers });
    return;
  }
  const all = { ...headers, ...ifMatch(stored) };
  await client.request("PUT", `${path}/${stored.id}`, { body, headers: all });
}

/** Documents of early releases have no hash to expect. */
function ifMatch({ sha256 }: Document): Record<string, string> {
  return sha256 === undefined ? {} : { "if-match": `"${sha256}"` };
}

function sizeOf(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  const kib = bytes / 1_024;
  return kib < 1_024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1_024).toFixed(1)} MiB`;
}
