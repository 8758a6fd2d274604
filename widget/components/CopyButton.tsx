import { COPY } from "../string_ids.ts";
import type { MessageUi } from "../ui.ts";

/** Not rendered where there is no clipboard API: on plain-http pages. */
export function CopyButton({ ui, text }: { readonly ui: MessageUi; readonly text: string }) {
  const { t } = ui.locale;
  const copy = async ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    await navigator.clipboard.writeText(text);
    const label = currentTarget.firstChild as Text;
    label.data = "✓";
    ui.conversation.announceText(`${t(COPY)} ✓`);
    setTimeout(() => label.data = t(COPY), 2000);
  };
  return navigator.clipboard
    ? <button type="button" class="copy" onClick={copy}>{t(COPY)}</button>
    : null;
}
