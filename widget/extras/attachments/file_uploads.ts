/** Uploads the files of a message that is being written, one after the other. */
import type { AttachedFile } from "../../state.ts";
import type { ExtrasContext } from "../extras_context.ts";
import {
  ATTACHED,
  NOT_ATTACHED,
  SENT_LATER,
  TOO_LARGE,
  TOO_MANY,
  UPLOADING,
} from "./attachments_ids.ts";
import { problemOf } from "../problem_of.ts";
import { readImage } from "./read_image.ts";

/** A file that the service does not have yet. */
export interface PendingFile extends Pick<AttachedFile, "name" | "paint"> {
  readonly file: File;
  /** Why it was not uploaded, as the status of the service's answer; 0 without a connection. */
  problem?: number | undefined;
  /** Ends the upload. */
  halt?: AbortController;
}

export interface FileUploads {
  unsent: PendingFile[];
  /** With a problem, files are listed but not uploaded. */
  readonly attach: (files: readonly File[], problem?: number) => void;
  readonly begin: (item: PendingFile) => void;
  readonly forget: (item: PendingFile | AttachedFile) => void;
  /** What is said about a file with a problem, or without one while it is uploaded. */
  readonly noteOf: (problem: number | undefined) => string;
}

/** Within the service's limits. */
const MAX_FILES = 8;
const MAX_BYTES = 10 * 1024 * 1024;

export function createFileUploads({ ui, t, callService, changed }: ExtrasContext): FileUploads {
  const { conversation } = ui;
  let queue = Promise.resolve();
  /** A message waits for the end of the uploads. */
  let isHeld: boolean | undefined;
  const announce = (file: PendingFile, text: string) =>
    conversation.announceText(`${file.name}: ${text}`);
  const hold = (): true => {
    conversation.announceText(t(SENT_LATER));
    return isHeld = true;
  };
  const update = () => {
    const { state } = conversation;
    const { unsent } = uploads;
    const isUploading = unsent.some(({ problem }) => problem === undefined);
    const isComplete = isHeld && !unsent[0] && !state.busy;
    state.uploading = isUploading ? hold : undefined;
    isHeld &&= isUploading;
    changed(true);
    // Without one of its files, the message stays in the field.
    if (isComplete) ui.input.current!.form!.requestSubmit();
  };
  /** Resolves to the problem. */
  const upload = async (item: PendingFile, { signal }: AbortController) => {
    const file = await readImage(item.file, (paint) => {
      item.paint = paint;
      changed(false);
    });
    if (file.size > MAX_BYTES) return 413;
    const body = new FormData();
    body.append("file", file, item.name);
    const response = await callService("attachments", { method: "POST", body, signal });
    if (!response.ok) return response.status;
    const { id, name, mediaType, bytes } = await response.json();
    signal.throwIfAborted();
    const { state } = conversation;
    state.files = [...state.files ?? [], { id, name, mediaType, bytes, paint: item.paint }];
    announce(item, t(ATTACHED));
    uploads.forget(item);
  };
  const settle = (item: PendingFile, problem?: number) => {
    item.problem = problem;
    announce(item, uploads.noteOf(problem));
    update();
  };
  const uploads: FileUploads = {
    unsent: [],
    noteOf(problem) {
      if (problem === undefined) return t(isHeld ? SENT_LATER : UPLOADING);
      if (/^(0|401|5..)$/.test(`${problem}`)) return ui.locale.t(problemOf(problem));
      return t(problem === 413 ? TOO_LARGE : problem === 429 ? TOO_MANY : NOT_ATTACHED);
    },
    attach(files, problem) {
      for (const file of files) {
        const item = { file, name: file.name };
        const count = uploads.unsent.push(item) + (conversation.state.files?.length ?? 0);
        if (problem || count > MAX_FILES) settle(item, problem ?? 429);
        else uploads.begin(item);
      }
    },
    begin(item) {
      const halt = item.halt = new AbortController();
      settle(item);
      queue = queue.then(() => upload(item, halt)).catch(() => 0).then((problem) => {
        if (!halt.signal.aborted) settle(item, problem);
      });
    },
    forget(item) {
      const { state } = conversation;
      const files = state.files?.filter((other) => other !== item);
      state.files = files?.[0] && files;
      uploads.unsent = uploads.unsent.filter((other) => other !== item);
      (item as PendingFile).halt?.abort();
      update();
    },
  };
  return uploads;
}
