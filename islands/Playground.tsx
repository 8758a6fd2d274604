import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { TurnView } from "@/components/playground/AnswerView.tsx";
import { PlaygroundChat, type PlaygroundTarget } from "@/lib/dashboard/browser/playground_chat.ts";
import { formValues } from "@/lib/dashboard/browser/form_values.ts";

export interface PlaygroundProps {
  /** `/agents/<id>`. */
  path: string;
  /** The newest; the last hundred may be tried. */
  version: number;
  models: { value: string; label: string }[];
}

/** Versions offered to compare with: older ones are for the page of versions. */
const OFFERED_VERSIONS = 20;
const DRAFT = "draft";

/** Chats with the agent as the form has it, unsaved; or with two of its kinds side by side. */
export default function Playground(props: PlaygroundProps) {
  const chats = useMemo(() => [new PlaygroundChat(props.path), new PlaygroundChat(props.path)], []);
  const [compare, setCompare] = useState(false);
  const [choices, setChoices] = useState([{ source: DRAFT, model: "" }, {
    source: String(props.version),
    model: "",
  }]);
  const text = useRef<HTMLTextAreaElement>(null);
  const shown = compare ? chats : chats.slice(0, 1);
  const busy = shown.some((chat) => chat.busy.value);

  function send() {
    const said = text.current!.value.trim();
    if (said === "" || busy) return;
    text.current!.value = "";
    const asked = shown.map((chat, n) => chat.send(said, toTarget(choices[n]!)));
    void Promise.all(asked).then((taken) => {
      // Nobody has it: it stands ready to be sent again, unless something else has been typed since.
      if (!taken.includes(true) && text.current?.value === "") text.current.value = said;
    });
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  }
  return (
    <section
      class={compare ? "card playground playground-wide" : "card playground"}
      aria-labelledby="playground-title"
    >
      <header class="playground-head">
        <h2 id="playground-title">Playground</h2>
        <button
          type="button"
          class="button button-small"
          aria-pressed={compare}
          onClick={() => setCompare(!compare)}
        >
          Compare
        </button>
        <button
          type="button"
          class="button button-small"
          onClick={() => chats.forEach((chat) => void chat.clear())}
        >
          Start over
        </button>
      </header>
      <div class="panes">
        {shown.map((chat, n) => (
          <Pane
            key={n}
            {...props}
            chat={chat}
            label={compare ? (n === 0 ? "Left" : "Right") : "Chat"}
            choice={choices[n]!}
            onChoose={(choice) => setChoices(choices.with(n, choice))}
          />
        ))}
      </div>
      <div class="composer">
        <label class="sr-only" for="playground-text">Message</label>
        <textarea
          id="playground-text"
          ref={text}
          rows={2}
          placeholder="Ask the agent as it is in the form, saved or not"
          onKeyDown={onKeyDown}
        />
        {busy
          ? (
            <button
              type="button"
              class="button"
              onClick={() => shown.forEach((chat) => void chat.stop())}
            >
              Stop
            </button>
          )
          : <button type="button" class="button button-primary" onClick={send}>Send</button>}
      </div>
    </section>
  );
}

interface Choice {
  /** `draft`, or a version. */
  source: string;
  /** `<vendor>/<model>`; blank for the agent's own. */
  model: string;
}

/** The draft is read as it is sent: what is typed in the form counts at once. */
function toTarget({ source, model }: Choice): PlaygroundTarget {
  const slash = model.indexOf("/");
  const form = document.getElementById("agent-form") as HTMLFormElement;
  return {
    ...(source === DRAFT ? { form: formValues(form) } : { version: Number(source) }),
    ...(model === "" ? {} : { provider: model.slice(0, slash), model: model.slice(slash + 1) }),
  };
}

function Pane(
  { chat, label, choice, onChoose, version, models }: PlaygroundProps & {
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
          aria-label={`${label}: which agent`}
          onChange={({ currentTarget }) => onChoose({ ...choice, source: currentTarget.value })}
        >
          <option value={DRAFT} selected={choice.source === DRAFT}>The draft</option>
          {versions.map((n) => (
            <option key={n} value={n} selected={choice.source === n}>
              {n === String(version) ? `Version ${n} (saved)` : `Version ${n}`}
            </option>
          ))}
        </select>
        <select
          aria-label={`${label}: which model`}
          onChange={({ currentTarget }) => onChoose({ ...choice, model: currentTarget.value })}
        >
          <option value="">Its own model</option>
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
        {turns.length === 0 && <p class="help">Nothing asked yet.</p>}
        <ol class="turns">
          {turns.map((turn, n) => (
            <TurnView key={n} turn={turn} busy={chat.busy.value && n === turns.length - 1} />
          ))}
        </ol>
      </div>
    </div>
  );
}
