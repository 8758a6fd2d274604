import { ConfirmForm } from "@/components/ConfirmForm.tsx";
import { DescriptionList } from "@/components/DescriptionList.tsx";
import { formatBytes } from "@/lib/dashboard/format_amount.ts";
import { Time } from "@/components/Time.tsx";
import DialogLink from "@/islands/DialogLink.tsx";
import type { Document } from "@/lib/schemas/knowledge.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

/** Badge of each state. */
const STATES = {
  processing: ["badge badge-expired", msg("Processing")],
  ready: ["badge badge-active", msg("Ready")],
  failed: ["badge badge-revoked", msg("Failed")],
} as const;

const TYPES: Record<Document["mediaType"], string> = {
  "text/plain": msg("Text"),
  "text/markdown": msg("Markdown"),
  "text/html": "HTML",
  "text/csv": "CSV",
  "application/pdf": "PDF",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "DOCX",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "XLSX",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX",
  "application/vnd.oasis.opendocument.text": "ODT",
  "application/epub+zip": "EPUB",
  "application/octet-stream": msg("Unknown"),
};

export interface DocumentRowProps {
  document: Document;
  /** Path of the knowledge base's documents. */
  path: string;
  now: number;
  editor: boolean;
}

/** A document with its state and actions. */
export function DocumentRow({ document, path, now, editor }: DocumentRowProps) {
  const [badge, state] = STATES[document.state];
  return (
    <li class="row document">
      <div class="row-main">
        <p class="row-name">
          <a href={`${path}/${document.id}`} aria-current="false">
            <bdi>{document.title}</bdi>
          </a>
          <span class={badge}>{t(state)}</span>
        </p>
        {document.url && (
          <p class="row-text">
            <a href={document.url} rel="noreferrer nofollow">{document.url}</a>
          </p>
        )}
        {document.error && <p class="field-error">{sentence(document.error.message)}</p>}
      </div>
      <DescriptionList
        class="facts"
        of={{
          [t("Type")]: t(TYPES[document.mediaType]),
          [t("Size")]: formatBytes(document.bytes),
          [t("Updated")]: <Time at={document.updatedAt} now={now} />,
        }}
      />
      {editor && <Actions document={document} path={`${path}/${document.id}`} />}
    </li>
  );
}

function Actions({ document: { title, state }, path }: { document: Document; path: string }) {
  return (
    <div class="row-actions">
      {state !== "processing" && (
        <form method="post" action={`${path}/read-again`}>
          <button class="button button-small" type="submit">
            {t("Reprocess")}
            <span class="sr-only">: {title}</span>
          </button>
        </form>
      )}
      <a class="button button-small" href={`${path}/replace`} aria-current="false">
        {t("Replace")}
        <span class="sr-only">: {title}</span>
      </a>
      <DialogLink
        href={`${path}/delete`}
        label={t("Delete")}
        about={title}
        class="button button-small"
        title={t("Delete {title}", { title })}
      >
        <ConfirmForm
          action={`${path}/delete`}
          title={t("Delete {title}?", { title })}
          confirm={t("Delete document")}
        >
          <p>{t("Agents can no longer find it. This cannot be undone.")}</p>
        </ConfirmForm>
      </DialogLink>
    </div>
  );
}

/** Makes a sentence of a reason that is written to follow a colon. */
function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
