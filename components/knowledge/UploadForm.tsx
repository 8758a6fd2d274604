import { useEffect, useRef, useState } from "preact/hooks";
import { ACCEPTED_FILE_TYPES } from "../../lib/dashboard/browser/upload_files.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Uploads files by a form, or with scripts as soon as they are chosen or dropped. */
export function UploadForm(
  { action, send, busy }: {
    action: string;
    send: (files: File[]) => Promise<void>;
    busy: boolean;
  },
) {
  const [scripted, setScripted] = useState(false);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  function take(files: FileList | null | undefined): void {
    if (!scripted || !files?.length) return;
    send([...files]);
    // Allow choosing the same file again.
    if (input.current) input.current.value = "";
  }
  useEffect(() => setScripted(true), []);
  useEffect(() => onFileDrag({ over: setOver, drop: take }), [scripted]);
  return (
    <form
      method="post"
      action={action}
      encType="multipart/form-data"
      class={over ? "card drop drop-over" : "card drop"}
      aria-busy={busy}
    >
      <label class="label" for="file">
        {scripted ? t("Drop files here or choose files") : t("Add documents")}
      </label>
      <input
        ref={input}
        type="file"
        id="file"
        name="file"
        multiple
        required
        accept={ACCEPTED_FILE_TYPES}
        aria-describedby="file-help"
        onChange={({ currentTarget }) => take(currentTarget.files)}
      />
      <p class="help" id="file-help">
        {scripted
          ? t("PDF, Office documents, EPUB, CSV, HTML, Markdown or text, up to 20 MiB each.")
          : t("PDF, Office documents, EPUB, CSV, HTML, Markdown or text, up to 20 MiB in total.")}
      </p>
      {!scripted && (
        <div class="form-actions">
          <button class="button button-primary" type="submit">{t("Upload")}</button>
        </div>
      )}
    </form>
  );
}

/** Listens on the whole page: the browser would open a file that is dropped outside the form. */
function onFileDrag(
  { over, drop }: {
    over: (is: boolean) => void;
    drop: (files: FileList | undefined) => void;
  },
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    over(true);
  }, { signal });
  addEventListener("dragleave", ({ relatedTarget }) => relatedTarget ?? over(false), { signal });
  addEventListener("drop", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    over(false);
    drop(event.dataTransfer.files);
  }, { signal });
  return () => stop.abort();
}
