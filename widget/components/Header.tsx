import { ASSISTANT, CLOSE_CHAT, NEW_CONVERSATION } from "../string_ids.ts";
import { panelTitle, type Ui } from "../ui.ts";
import { CloseIcon, ComposeIcon } from "./icons.tsx";
import { Mark } from "./Mark.tsx";

export function Header({ ui }: { readonly ui: Ui }) {
  const { config, conversation: { state }, handle, input, locale: { t } } = ui;
  const startNew = () => {
    handle.newConversation();
    input.current?.focus();
  };
  const logo = ui.read("data-logo");
  const title = panelTitle(ui);
  return (
    <div class="header" part="header">
      {!logo && <Mark ui={ui} />}
      <div class="names">
        <h2 class="title">
          {logo ? <img class="logo" src={logo} alt={title} /> : <bdi>{title}</bdi>}
        </h2>
        {config.title && <p class="subtitle">{t(ASSISTANT)}</p>}
      </div>
      {state.turns.length > 0 && (
        <button
          type="button"
          class="tool"
          aria-label={t(NEW_CONVERSATION)}
          title={t(NEW_CONVERSATION)}
          onClick={startNew}
        >
          <ComposeIcon />
        </button>
      )}
      {!config.page && (
        <button
          type="button"
          class="tool"
          aria-label={t(CLOSE_CHAT)}
          title={t(CLOSE_CHAT)}
          onClick={handle.close}
        >
          <CloseIcon />
        </button>
      )}
    </div>
  );
}
