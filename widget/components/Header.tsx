import { ASSISTANT, CLOSE, FRESH } from "../say.ts";
import type { Ui } from "../mount.tsx";
import { titleOf } from "./App.tsx";
import { BubbleIcon, CloseIcon, ComposeIcon } from "./icons.tsx";

export function Header({ ui }: { readonly ui: Ui }) {
  const { config, conversation: { state }, handle, input, locale: { t } } = ui;
  const startAfresh = () => {
    handle.newConversation();
    input.current?.focus();
  };
  return (
    <div class="header" part="header">
      <span class="mark">
        <BubbleIcon />
      </span>
      <div class="names">
        <h2 class="title">
          <bdi>{titleOf(ui)}</bdi>
        </h2>
        {config.title && <p class="subtitle">{t(ASSISTANT)}</p>}
      </div>
      {state.turns.length > 0 && (
        <button
          type="button"
          class="tool"
          aria-label={t(FRESH)}
          title={t(FRESH)}
          onClick={startAfresh}
        >
          <ComposeIcon />
        </button>
      )}
      <button
        type="button"
        class="tool"
        aria-label={t(CLOSE)}
        title={t(CLOSE)}
        onClick={handle.close}
      >
        <CloseIcon />
      </button>
    </div>
  );
}
