import type { MessageUi } from "../ui.ts";
import { BubbleIcon } from "./icons.tsx";

/** The agent's picture: an image, a letter, or the widget's own sign. */
export function Mark({ ui: { config: { avatar } } }: { readonly ui: MessageUi }) {
  const isImage = /^data:/.test(avatar);
  return (
    <span class="mark" aria-hidden="true">
      {avatar && !isImage ? avatar : <BubbleIcon />}
      {/* Covers the icon; if the page's policy blocks it, the icon stays. */}
      {isImage && <img class="avatar" src={avatar} alt="" />}
    </span>
  );
}
