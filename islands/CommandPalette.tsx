import { useEffect, useRef, useState } from "preact/hooks";
import { ShortcutList } from "@/components/ShortcutList.tsx";
import { findCommands, searchByName } from "@/lib/dashboard/browser/find_commands.ts";
import type { Command } from "@/lib/dashboard/navigation.ts";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

const DEBOUNCE_MS = 120;

/** Finds pages, actions, agents and knowledge bases by name. Ctrl K opens it, `?` lists shortcuts. */
export default function CommandPalette({ commands }: { commands: Command[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const shortcuts = useRef<HTMLDialogElement>(null);
  const [isReady, setReady] = useState(false);
  const [query, setQuery] = useState("");
  const [named, setNamed] = useState<Command[]>([]);
  const [selected, setSelected] = useState(0);
  const found = [...findCommands(commands, query), ...query.trim() === "" ? [] : named];

  useEffect(() => {
    setReady(true);
    return onShortcuts({
      k: () => open(),
      "?": () => shortcuts.current?.showModal(),
    });
  }, []);
  useEffect(() => {
    if (query.trim() === "") return;
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const result = await searchByName(query, stop.signal).catch(() => []);
      if (!stop.signal.aborted) setNamed(result);
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [query]);

  function open(): void {
    setQuery("");
    setNamed([]);
    setSelected(0);
    dialog.current?.showModal();
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setSelected((selected + step + found.length) % found.length);
    }
    if (event.key === "Enter") {
      event.preventDefault();
      const command = found[selected];
      if (command !== undefined) location.assign(command.href);
    }
  }
  return (
    <>
      <button type="button" class="button palette-button" hidden={!isReady} onClick={open}>
        <span>{t("Find")}</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <dialog ref={dialog} class="palette" aria-label={t("Find")} onMouseDown={closeOnBackdrop}>
        <input
          type="text"
          role="combobox"
          aria-label={t("Find anything")}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-autocomplete="list"
          aria-activedescendant={found.length > 0 ? `command-${selected}` : undefined}
          placeholder={t("Search pages, actions, agents…")}
          value={query}
          maxLength={200}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value);
            setSelected(0);
          }}
          onKeyDown={onKeyDown}
        />
        <ul id="palette-list" role="listbox" aria-label={t("Results")}>
          {found.map((command, n) => (
            <li
              key={command.href}
              id={`command-${n}`}
              role="option"
              aria-selected={n === selected ? "true" : "false"}
              onMouseMove={() => setSelected(n)}
              onClick={() => location.assign(command.href)}
            >
              <span>{command.title}</span>
              <span class="palette-kind">{command.kind}</span>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p class="help palette-none">{t("Nothing found.")}</p>}
        <p class="sr-only" role="status">
          {plural(found.length, "{count} result", "{count} results")}
        </p>
      </dialog>
      <dialog
        ref={shortcuts}
        class="shortcuts"
        aria-label={t("Keyboard shortcuts")}
        onMouseDown={closeOnBackdrop}
      >
        <ShortcutList />
      </dialog>
    </>
  );
}

function closeOnBackdrop(event: MouseEvent & { currentTarget: HTMLDialogElement }): void {
  if (event.target === event.currentTarget) event.currentTarget.close();
}

/** `k` with Ctrl or Cmd anywhere; the others by themselves, outside text fields and dialogs. */
function onShortcuts(actions: Record<"k" | "?", () => void>): () => void {
  const stop = new AbortController();
  addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element &&
      event.target.closest("input, select, textarea, [contenteditable], dialog") !== null;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key.toLowerCase() === "k" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      if (document.querySelector("dialog:modal") === null) actions.k();
    } else if (event.key === "?" && !isCommand && !isTyping) actions["?"]();
  }, { signal: stop.signal });
  return () => stop.abort();
}
