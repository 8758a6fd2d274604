/** Files of a message: chosen, taken with the camera, pasted or dropped. */
import type { TranscriptMessage } from "../../state.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { ABOVE_FIELD, BELOW, FILES, OVER, type Slot } from "../slot.ts";
import { ATTACH_FILE, DROP_HERE, TAKE_PHOTO } from "./attachments_ids.ts";
import { CLIP, FileList } from "./FileList.tsx";
import { createFileUploads } from "./file_uploads.ts";

/** What the browser can show is converted where the service does not take it. */
const IMAGES = "image/*,";
const DOCUMENTS = ".pdf,.txt,.md,.csv";
/** A browser says at least twice a second that files are held over the panel. */
const DRAG_MS = 700;
const CAMERA = "M4 8h4l2-3h4l2 3h4v11H4zM12 10a3 3 0 1 0 0 6 3 3 0 1 0 0-6";

export function attachmentsFeature(context: ExtrasContext): Slot {
  const { ui, t, changed, menuItems } = context;
  const uploads = createFileUploads(context);
  /** A browser may drop an input that nothing refers to before a file is chosen. */
  let picker: HTMLInputElement;
  /** There while files are held over the panel. */
  let dragTimer: ReturnType<typeof setTimeout> | undefined;

  /** The types that the agent takes, or "". */
  const accepted = () => {
    const offers = `${ui.read("data-offers")}`;
    return (/images/.test(offers) ? IMAGES : "") + (/documents/.test(offers) ? DOCUMENTS : "");
  };
  const pick = (accept: string, isCamera?: boolean) => {
    picker = document.createElement("input");
    Object.assign(picker, { type: "file", accept, multiple: true });
    if (isCamera) picker.setAttribute("capture", "environment");
    picker.onchange = () => uploads.attach([...picker.files!]);
    picker.click();
  };
  menuItems.push(
    () => {
      const accept = accepted();
      return !!accept && { label: t(ATTACH_FILE), icon: CLIP, onPress: () => pick(accept) };
    },
    () =>
      /image/.test(accepted()) && matchMedia("(pointer:coarse)").matches &&
      { label: t(TAKE_PHOTO), icon: CAMERA, onPress: () => pick(IMAGES, true) },
  );
  const showDrop = (isOver?: boolean) => {
    clearTimeout(dragTimer);
    dragTimer = isOver ? setTimeout(showDrop, DRAG_MS) : undefined;
    changed(false);
  };
  return (place, value) => {
    if (place === FILES) {
      const files = value as readonly File[];
      const isOffered = !!accepted();
      if (files[0]) uploads.attach(files, isOffered ? undefined : 415);
      showDrop(isOffered && !files[0]);
    }
    if (place === BELOW) {
      const { role, files } = value as TranscriptMessage;
      return role === "user" && files && <FileList {...{ context, uploads, files }} isSent />;
    }
    if (place === OVER) return dragTimer && <p class="sheet drop">{t(DROP_HERE)}</p>;
    const files = [...ui.conversation.state.files ?? [], ...uploads.unsent];
    return place === ABOVE_FIELD && files[0] && <FileList {...{ context, uploads, files }} />;
  };
}
