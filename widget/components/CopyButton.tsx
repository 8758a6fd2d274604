import { COPY } from "../string_ids.ts";
import type { Ui } from "../mount.tsx";

/** Absent where the browser has no clipboard to offer: on plain-http pages. */
export function CopyButton({ ui, text }: { readonly ui: Ui; readonly text: string }) {
  const { t } = ui.locale;
  const copy = async ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    await navigator.clipboard.writeText(text);
    const word = currentTarget.firstChild as Text;
    word.data = "✓";
    ui.conversation.announceText(`${t(COPY)} ✓`);
    setTimeout(() => word.data = t(COPY), 2000);
  };
  return navigator.clipboard
    ? <button type="button" class="copy" onClick={copy}>{t(COPY)}</button>
    : null;
}
