import { END, OVER } from "../extras/slot.ts";
import { GREETING, JUMP_TO_LATEST, OFFLINE } from "../string_ids.ts";
import { panelTitle, type Ui } from "../ui.ts";
import { ArrowDownIcon } from "./icons.tsx";
import { Mark } from "./Mark.tsx";
import { Message } from "./Message.tsx";
import { Notice } from "./Notice.tsx";

/**
 * The log is no live region: a screen reader would read every word as it arrives. The panel's status
 * announces each sentence once, when it is complete.
 */
export function MessageLog({ ui }: { readonly ui: Ui }) {
  const { conversation, log, locale: { t } } = ui;
  const { turns, busy, failure } = conversation.state;
  const last = turns.at(-1);
  return (
    <div class="stage">
      <div
        ref={log}
        class="log"
        part="log"
        role="log"
        aria-live="off"
        aria-busy={busy}
        aria-label={panelTitle(ui)}
        tabIndex={0}
        onScroll={ui.onScroll}
      >
        {!last && <Greeting ui={ui} />}
        {turns.map((turn) => (
          <Message key={turn.id} ui={ui} turn={turn} live={busy && turn === last} />
        ))}
        {busy && <Working ui={ui} waiting={last?.role === "user"} />}
        {ui.slot(END)}
        {failure && <Notice ui={ui} onRetry={() => conversation.retry()} />}
      </div>
      {ui.slot(OVER)}
      {ui.away && (
        <button
          type="button"
          class="latest"
          aria-label={t(JUMP_TO_LATEST)}
          onClick={ui.scrollToEnd}
        >
          <ArrowDownIcon />
        </button>
      )}
    </div>
  );
}

function Greeting({ ui }: { readonly ui: Ui }) {
  const { handle, input, read, locale: { t } } = ui;
  const ask = (text: string) => {
    handle.send(text);
    input.current?.focus();
  };
  return (
    <div class="greeting">
      <Mark ui={ui} />
      <p class="hello" dir="auto">{read("data-greeting") || t(GREETING)}</p>
      {read("data-suggestions")?.split("|").map((text) =>
        text.trim() && (
          <button
            type="button"
            class="suggestion"
            dir="auto"
            onClick={() => ask(text)}
          >
            {text}
          </button>
        )
      )}
    </div>
  );
}

/** Shown before the first text, while a tool runs, and while reconnecting. */
function Working({ ui, waiting }: { readonly ui: Ui; readonly waiting: boolean }) {
  const { conversation: { state: { tool, lost } }, locale: { t } } = ui;
  if (!waiting && !tool && !lost) return null;
  return (
    <div class="working">
      <i class="dot" />
      {lost ? t(OFFLINE) : <bdi>{tool}</bdi>}
    </div>
  );
}
