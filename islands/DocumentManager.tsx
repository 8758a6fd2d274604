import { useEffect, useRef, useState } from "preact/hooks";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { DocumentRow } from "@/components/knowledge/DocumentRow.tsx";
import { UploadForm } from "@/components/knowledge/UploadForm.tsx";
import { type Upload, uploadFiles } from "@/lib/dashboard/browser/upload_files.ts";
import { UploadList } from "@/components/knowledge/UploadList.tsx";
import type { Document } from "@/lib/schemas/knowledge.ts";

/** Documents as the page and its script have them. */
export interface DocumentListData {
  documents: Document[];
  /** Of the whole base: documents in any state, and passages that can be found. */
  documentCount: number;
  chunkCount: number;
  now: number;
}

export interface DocumentManagerProps extends DocumentListData {
  /** Of the base's documents; `query` names the page of them. */
  path: string;
  query: string;
  /** May change them; the server enforces it. */
  editor: boolean;
}

/** So long between two looks at documents that are being read, milliseconds. */
const POLL_INTERVAL_MS = 1_000;

/**
 * The documents of a base. With scripts files can be dropped, one sees them go out, and states change
 * by themselves; without it is a form and a list, and the page reloads itself.
 */
export default function DocumentManager({ path, query, editor, ...first }: DocumentManagerProps) {
  const [{ documents, documentCount, chunkCount, now }, setData] = useState<DocumentListData>(
    first,
  );
  const [sending, setSending] = useState<Upload[]>([]);
  const [said, setSaid] = useState("");
  const shown = useRef(first.documents);
  const leaving = useRef(new AbortController());
  const reading = documents.some(({ state }) => state === "processing");

  async function look(): Promise<void> {
    const response = await fetch(path + query, { headers: { accept: "application/json" } });
    if (!response.ok || response.redirected) return;
    const next = await response.json() as DocumentListData;
    setSaid(describeChanges(shown.current, next.documents));
    shown.current = next.documents;
    setData(next);
  }
  useEffect(() => () => leaving.current.abort(), []);
  useEffect(() => {
    if (!reading) return;
    // Whatever fails is asked again.
    const timer = setInterval(() => document.hidden || look().catch(() => {}), POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [reading]);

  async function send(files: File[]): Promise<void> {
    const { signal } = leaving.current;
    await uploadFiles(files, {
      path,
      signal,
      told: setSending,
      sent: () => look().catch(() => {}),
    });
  }
  return (
    <div class="stack">
      {editor && (
        <UploadForm
          action={path}
          send={send}
          busy={sending.some(({ fault }) => !fault)}
        />
      )}
      <UploadList sending={sending} />
      {documents.length > 0 && (
        <ul class="rows" aria-label="Documents">
          {documents.map((document) => (
            <DocumentRow
              key={document.id}
              document={document}
              path={path}
              now={now}
              editor={editor}
            />
          ))}
        </ul>
      )}
      {documentCount > 0 && (
        <p class="help">
          {plural(documentCount, "document")}, {plural(chunkCount, "passage")} that can be found.
        </p>
      )}
      <p class="sr-only" role="status">{said}</p>
    </div>
  );
}

/** What has changed since the last look, in words. */
function describeChanges(before: Document[], now: Document[]): string {
  const was = new Map(before.map(({ id, state }) => [id, state]));
  return now
    .filter(({ id, state }) => state !== "processing" && was.get(id) === "processing")
    .map(({ title, state }) => state === "ready" ? `${title} is ready.` : `${title} failed.`)
    .join(" ");
}
