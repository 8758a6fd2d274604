import type { ComponentChildren } from "preact";
import type { AttachedFile } from "../../state.ts";
import { RETRY } from "../../string_ids.ts";
import { type ExtrasContext, showSheet } from "../extras_context.ts";
import { AGAIN, CROSS } from "../icon_paths.ts";
import { Icon, IconButton } from "../IconButton.tsx";
import { REMOVE } from "./attachments_ids.ts";
import type { FileUploads, PendingFile } from "./file_uploads.ts";
import { paintImage } from "./read_image.ts";

/** A paper clip. */
export const CLIP =
  "m19 11-7.5 7.5a4 4 0 0 1-6-6L13 5a2.7 2.7 0 0 1 4 4l-7.5 7.5a1 1 0 0 1-2-2L14 8";

export interface FileListProps {
  readonly context: ExtrasContext;
  readonly uploads: FileUploads;
  readonly files: readonly (AttachedFile | PendingFile)[];
  /** Of a message that was sent: nothing can be removed. */
  readonly isSent?: boolean;
}

/** Files below a question, or above the field. */
export function FileList({ context, uploads, files, isSent }: FileListProps) {
  const { ui: { locale }, t, root } = context;
  /** The pressed button may disappear, so move the focus instead of losing it to the page. */
  const button = (label: string, icon: string, press: () => void) => (
    <IconButton
      look="tool"
      {...{ label, icon }}
      onPress={() => {
        press();
        root.querySelector<HTMLElement>(".more")!.focus();
      }}
    />
  );
  const row = (item: AttachedFile | PendingFile) => {
    const { name, paint } = item;
    const { problem } = item as PendingFile;
    const { mediaType, bytes = 0 } = item as AttachedFile;
    // Only those that the service has can be opened.
    const isImage = /image/.test(mediaType);
    const Name = (isImage ? "button" : "span") as "button";
    return (
      <li class="file">
        {paint ? <canvas ref={paint} /> : <Icon path={CLIP} />}
        <Name
          type="button"
          onClick={() => isImage && openImage(item as AttachedFile, { context, uploads })}
        >
          <bdi>{name}</bdi>
          <small dir="auto">
            {mediaType
              ? `${Math.ceil(bytes / 1e3).toLocaleString(locale.lang)} kB`
              : uploads.noteOf(problem)}
          </small>
        </Name>
        {(problem === 0 || problem! > 428) &&
          button(
            `${locale.t(RETRY)}: ${name}`,
            AGAIN,
            () => uploads.begin(item as PendingFile),
          )}
        {!isSent && button(`${t(REMOVE)}: ${name}`, CROSS, () => {
          uploads.forget(item);
        })}
      </li>
    );
  };
  return <ul class="after files" part="files">{files.map(row)}</ul>;
}

/** Shows an image over the messages. */
async function openImage(
  { id, name }: AttachedFile,
  { context, uploads }: Pick<FileListProps, "context" | "uploads">,
): Promise<void> {
  const { callService, changed } = context;
  let content: ComponentChildren = "…";
  showSheet(context, { label: name, render: () => content });
  let problem = 0;
  try {
    const response = await callService(`attachments/${id}`);
    problem = response.status;
    const image = await createImageBitmap(await response.blob());
    content = <canvas class="picture" role="img" aria-label={name} ref={paintImage(image)} />;
  } catch {
    content = uploads.noteOf(problem);
    context.ui.conversation.announceText(content);
  }
  changed(false);
}
