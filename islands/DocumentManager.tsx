import { useEffect, useRef, useState } from "preact/hooks";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { DocumentRow } from "@/components/knowledge/DocumentRow.tsx";
import { UploadForm } from "@/components/knowledge/UploadForm.tsx";
import { type Upload, uploadFiles } from "@/lib/dashboard/browser/upload_files.ts";
import { UploadList } from "@/components/knowledge/UploadList.tsx";
import type { Document } from "@/lib/schemas/knowledge.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The documents of a page, as rendered and as polled. */
export interface DocumentListData {
  documents: Document[];
  /** Documents of the whole knowledge base, in any state. */
  documentCount: number;
  chunkCount: number;
  now: number;
}

export interface DocumentManagerProps extends DocumentListData {
  /** Path of the documents; `query` selects the page. */
  path: string;
  query: string;
  /** The user may edit them; the server enforces it. */
  editor: boolean;
}

/** Poll interval while documents are processing. */
const POLL_INTERVAL_MS = 1_000;

/**
 * The documents of a knowledge base. With scripts, files can be dropped, uploads show their progress
 * and states update. Without, it is a form and a list, and the page reloads.
 */
export default function DocumentManager({ path, query, editor, ...first }: DocumentManagerProps) {
  const [{ documents, documentCount, chunkCount, now }, setData] = useState<DocumentListData>(
    first,
  );
  const [uploads, setUploads] = useState<Upload[]>([]);
  const [announcement, setAnnouncement] = useState("");
  const shown = useRef(first.documents);
  const unmounted = useRef(new AbortController());
  const isProcessing = documents.some(({ state }) => state === "processing");

  async function refresh(): Promise<void> {
    const response = await fetch(path + query, { headers: { accept: "application/json" } });
    if (!response.ok || response.redirected) return;
    const next = await response.json() as DocumentListData;
    setAnnouncement(describeChanges(shown.current, next.documents));
    shown.current = next.documents;
    setData(next);
  }
  // A failed refresh is repeated by the next poll.
  const tryRefresh = () => refresh().catch(() => {});
  useEffect(() => () => unmounted.current.abort(), []);
  useEffect(() => {
    if (!isProcessing) return;
    const timer = setInterval(() => document.hidden || tryRefresh(), POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isProcessing]);

  async function send(files: File[]): Promise<void> {
    const { signal } = unmounted.current;
    await uploadFiles(files, { path, signal, update: setUploads, onUploaded: tryRefresh });
  }
  return (
    <div class="stack">
      {editor && (
        <UploadForm
          action={path}
          send={send}
          busy={uploads.some(({ error }) => !error)}
        />
      )}
      <UploadList uploads={uploads} />
      {documents.length > 0 && (
        <ul class="rows" aria-label={t("Documents")}>
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
          {plural(documentCount, "{count} document", "{count} documents")},{" "}
          {plural(chunkCount, "{count} searchable passage", "{count} searchable passages")}.
        </p>
      )}
      <p class="sr-only" role="status">{announcement}</p>
    </div>
  );
}

/** Announces documents whose processing ended. */
function describeChanges(before: Document[], now: Document[]): string {
  const was = new Map(before.map(({ id, state }) => [id, state]));
  return now
    .filter(({ id, state }) => state !== "processing" && was.get(id) === "processing")
    .map(({ title, state }) =>
      state === "ready" ? t("{title} is ready.", { title }) : t("{title} failed.", { title })
    )
    .join(" ");
}
