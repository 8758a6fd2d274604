import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { TurnView } from "@/components/playground/TurnView.tsx";
import { PlaygroundChat, type PlaygroundTarget } from "@/lib/dashboard/browser/playground_chat.ts";
import type { WidgetLook } from "@/lib/dashboard/agents/widget_look.ts";
import { formValues } from "@/lib/dashboard/browser/form_values.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface PlaygroundProps {
  /** `/agents/<id>`. */
  path: string;
  /** The newest version; the last hundred can be tried. */
  version: number;
  models: { value: string; label: string }[];
  look: WidgetLook;
}

/** Versions offered for comparison; older ones are on the versions page. */
const OFFERED_VERSIONS = 20;
const DRAFT = "draft";

/** Chats with the unsaved agent of the form, or compares two variants side by side. */
export default function Playground(props: PlaygroundProps) {
  const chats = useMemo(() => [new PlaygroundChat(props.path), new PlaygroundChat(props.path)], []);
  const [compare, setCompare] = useState(false);
  const [choices, setChoices] = useState([{ source: DRAFT, model: "" }, {
    source: String(props.version),
    model: "",
  }]);
  const text = useRef<HTMLTextAreaElement>(null);
  const section = useRef<HTMLElement>(null);
  // Two chats stand below the form.
  useEffect(() => {
    if (compare) section.current?.scrollIntoView();
  }, [compare]);
  const shown = compare ? chats : chats.slice(0, 1);
  const busy = shown.some((chat) => chat.busy.value);

  function send() {
    const message = text.current!.value.trim();
    if (message === "" || busy) return;
    text.current!.value = "";
    const sent = shown.map((chat, n) => chat.send(message, toTarget(choices[n]!)));
    void Promise.all(sent).then((accepted) => {
      // Put a message that no chat accepted back, unless the user has typed something else.
      if (!accepted.includes(true) && text.current?.value === "") text.current.value = message;
    });
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  }
  return (
    <section
      ref={section}
      class={compare ? "card playground playground-wide" : "card playground"}
      aria-labelledby="playground-title"
    >
      <header class="playground-head">
        <h2 id="playground-title">{t("Playground")}</h2>
        <button
          type="button"
          class="button button-small"
          aria-pressed={compare}
          onClick={() => setCompare(!compare)}
        >
          {t("Compare")}
        </button>
        <button
          type="button"
          class="button button-small"
          onClick={() => chats.forEach((chat) => void chat.clear())}
        >
          {t("Reset")}
        </button>
      </header>
      <div class="panes">
        {shown.map((chat, n) => (
          <Pane
            key={n}
            {...props}
            chat={chat}
            label={compare ? (n === 0 ? t("Left") : t("Right")) : t("Chat")}
            choice={choices[n]!}
            onChoose={(choice) => setChoices(choices.with(n, choice))}
          />
        ))}
      </div>
      <div class="composer">
        <label class="sr-only" for="playground-text">{t("Message")}</label>
        <textarea
          id="playground-text"
          ref={text}
          rows={2}
          placeholder={t("Message the agent, including unsaved changes")}
          onKeyDown={onKeyDown}
        />
        {busy
          ? (
            <button
              type="button"
              class="button"
              onClick={() => shown.forEach((chat) => void chat.stop())}
            >
              {t("Stop")}
            </button>
          )
          : <button type="button" class="button button-primary" onClick={send}>{t("Send")}</button>}
      </div>
    </section>
  );
}

interface Choice {
  /** `draft`, or a version. */
  source: string;
  /** `<provider>/<model>`; blank for the agent's own. */
  model: string;
}

/** Reads the form when a message is sent, so that unsaved changes count. */
function toTarget({ source, model }: Choice): PlaygroundTarget {
  const slash = model.indexOf("/");
  const form = document.getElementById("agent-form") as HTMLFormElement;
  return {
    ...(source === DRAFT ? { form: formValues(form) } : { version: Number(source) }),
    ...(model === "" ? {} : { provider: model.slice(0, slash), model: model.slice(slash + 1) }),
  };
}

function Pane(
  { chat, label, choice, onChoose, version, models, look }: PlaygroundProps & {
    chat: PlaygroundChat;
    label: string;
    choice: Choice;
    onChoose: (choice: Choice) => void;
  },
) {
  const log = useRef<HTMLDivElement>(null);
  const turns = chat.turns.value;
  useEffect(() => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
  }, [turns]);
  const versions = Array.from(
    { length: Math.min(version, OFFERED_VERSIONS) },
    (_, n) => String(version - n),
  );
  return (
    <div class="pane">
      <div class="pane-choice">
        <select
          aria-label={t("{label}: version", { label })}
          onChange={({ currentTarget }) => onChoose({ ...choice, source: currentTarget.value })}
        >
          <option value={DRAFT} selected={choice.source === DRAFT}>{t("Draft")}</option>
          {versions.map((n) => (
            <option key={n} value={n} selected={choice.source === n}>
              {n === String(version) ? t("Version {n} (saved)", { n }) : t("Version {n}", { n })}
            </option>
          ))}
        </select>
        <select
          aria-label={t("{label}: model", { label })}
          onChange={({ currentTarget }) => onChoose({ ...choice, model: currentTarget.value })}
        >
          <option value="">{t("Agent's model")}</option>
          {models.map(({ value, label: name }) => (
            <option key={value} value={value} selected={choice.model === value}>{name}</option>
          ))}
        </select>
      </div>
      <div
        class="pane-log"
        role="log"
        aria-label={label}
        aria-busy={chat.busy.value}
        ref={log}
        tabIndex={0}
      >
        {turns.length === 0 && <p class="help">{t("Send a message to try the agent.")}</p>}
        <ol class="turns">
          {turns.map((turn, n) => (
            <TurnView
              key={n}
              turn={turn}
              busy={chat.busy.value && n === turns.length - 1}
              look={look}
              onReply={(n, reply) => void chat.reply(n, reply)}
            />
          ))}
        </ol>
      </div>
    </div>
  );
}
