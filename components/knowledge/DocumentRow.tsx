import { ConfirmForm } from "@/components/ConfirmForm.tsx";
import { DescriptionList } from "@/components/DescriptionList.tsx";
import { formatBytes } from "@/lib/dashboard/format_amount.ts";
import { Time } from "@/components/Time.tsx";
import DialogLink from "@/islands/DialogLink.tsx";
import type { Document } from "@/lib/schemas/knowledge.ts";

/** As which badge each state shows. */
const STATES = {
  processing: ["badge badge-expired", "being read"],
  ready: ["badge badge-active", "ready"],
  failed: ["badge badge-revoked", "failed"],
} as const;

const TYPES: Record<Document["mediaType"], string> = {
  "text/plain": "Text",
  "text/markdown": "Markdown",
  "text/html": "HTML",
  "application/pdf": "PDF",
  "application/octet-stream": "Unknown",
};

export interface DocumentRowProps {
  document: Document;
  /** Of its base's documents. */
  path: string;
  now: number;
  editor: boolean;
}

/** A document with what has become of it and what can be done with it. */
export function DocumentRow({ document, path, now, editor }: DocumentRowProps) {
  const [badge, state] = STATES[document.state];
  return (
    <li class="row document">
      <div class="row-main">
        <p class="row-name">
          <bdi>{document.title}</bdi>
          <span class={badge}>{state}</span>
        </p>
        {document.error && <p class="fault">{sentence(document.error.message)}</p>}
      </div>
      <DescriptionList
        class="facts"
        of={{
          Type: TYPES[document.mediaType],
          Size: formatBytes(document.bytes),
          Changed: <Time at={document.updatedAt} now={now} />,
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
            Read again<span class="sr-only">: {title}</span>
          </button>
        </form>
      )}
      <a class="button button-small" href={`${path}/replace`} aria-current="false">
        Replace<span class="sr-only">: {title}</span>
      </a>
      <DialogLink
        href={`${path}/delete`}
        label="Delete"
        about={title}
        class="button button-small"
        title={`Delete ${title}`}
      >
        <ConfirmForm action={`${path}/delete`} title={`Delete ${title}?`} confirm="Delete">
          <p>Agents do not find it any more. This cannot be undone.</p>
        </ConfirmForm>
      </DialogLink>
    </div>
  );
}

/** Reasons are written to follow a colon. */
function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
