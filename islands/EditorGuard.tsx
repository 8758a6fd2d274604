import { useEffect, useRef, useState } from "preact/hooks";
import {
  dropDraft,
  keepDraft,
  keptDraft,
  restoreDraft,
  valuesOf,
} from "@/components/editor/kept_draft.ts";
import { isChanged, showFault } from "@/components/editor/live_faults.ts";
import { budgetWords } from "@/lib/wire/budget_words.ts";
import { callDashboard } from "@/lib/wire/dashboard_call.ts";

export interface EditorGuardProps {
  /** Where the form is sent: names its draft. */
  path: string;
  /** The page shows what has just been saved. */
  saved: boolean;
  /** The page shows what could not be saved. */
  refused: boolean;
}

/** Nothing is checked while somebody types this fast, milliseconds. */
const PAUSE_MS = 500;

/**
 * Watches the editor's form: tells of unsaved changes, checks them by the server's own rules, and
 * brings back what a failed save would have lost. Without it the form works all the same.
 */
export default function EditorGuard({ path, saved, refused }: EditorGuardProps) {
  const [changed, setChanged] = useState(false);
  const [faulty, setFaulty] = useState(0);
  const [restore, setRestore] = useState<(() => void) | undefined>();
  const leaving = useRef(false);
  useEffect(() => {
    const form = document.getElementById("agent-form") as HTMLFormElement;
    const stop = new AbortController();
    const on = (target: EventTarget, type: string, listener: (event: Event) => void) =>
      target.addEventListener(type, listener, { signal: stop.signal });
    const checks = new Checks(form, { path, told: setFaulty });
    const look = () => {
      setChanged(refused || isChanged(form));
      tellBudget(form);
    };
    on(form, "input", (event) => {
      look();
      checks.touch(event.target);
    });
    on(form, "submit", () => {
      leaving.current = true;
      keepDraft(form, path);
    });
    on(globalThis, "pageshow", () => leaving.current = false);
    on(globalThis, "beforeunload", (event) => {
      if (!leaving.current && (refused || isChanged(form))) event.preventDefault();
    });
    if (saved || refused) dropDraft();
    const kept = keptDraft(form, path);
    if (kept !== undefined) {
      setRestore(() => () => {
        restoreDraft(form, kept);
        dropDraft();
        setRestore(undefined);
      });
    }
    look();
    return () => {
      stop.abort();
      checks.stop();
    };
  }, []);
  function discard() {
    dropDraft();
    setRestore(undefined);
  }
  return (
    <span class="guard">
      <span class="help" role="status">{statusOf(changed, faulty)}</span>
      {restore !== undefined && (
        <span class="guard-offer">
          <span class="help">Your last changes did not reach the service.</span>
          <button type="button" class="button button-small" onClick={restore}>Bring back</button>
          <button type="button" class="button button-small" onClick={discard}>Discard</button>
        </span>
      )}
    </span>
  );
}

function statusOf(changed: boolean, faulty: number): string {
  if (faulty > 0) {
    return faulty === 1 ? "One field needs attention" : `${faulty} fields need attention`;
  }
  return changed ? "Unsaved changes" : "";
}

/** Asks the server what is wrong, a moment after the last change; the newest answer counts. */
class Checks {
  #form: HTMLFormElement;
  #address: string;
  #told: (faulty: number) => void;
  #touched = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = new AbortController();

  /** `path` is where the form is sent: it ends in the agent's id, where there is one yet. */
  constructor(
    form: HTMLFormElement,
    { path, told }: { path: string; told: (faulty: number) => void },
  ) {
    this.#form = form;
    this.#address = `/agents/check?agent=${path.slice(path.lastIndexOf("/") + 1)}`;
    this.#told = told;
    for (const control of form.querySelectorAll("[aria-invalid]")) {
      this.#touched.add(control.getAttribute("name") ?? "");
    }
  }

  touch(target: EventTarget | null): void {
    const name = target instanceof Element ? target.getAttribute("name") : null;
    if (name === null) return;
    this.#touched.add(name);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), PAUSE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#asked.abort();
  }

  async #ask(): Promise<void> {
    this.#asked.abort();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    try {
      const fields = new URLSearchParams(valuesOf(this.#form));
      const response = await callDashboard(this.#address, fields, signal);
      const { faults } = await response.json() as { faults: Record<string, string> };
      if (!signal.aborted) this.#show(faults);
    } catch {
      // Saving tells the same, and why it could not be asked.
    }
  }

  /** A domain may be what a tool lacks: what is told of it may change with any field. */
  #show(faults: Record<string, string>): void {
    let faulty = 0;
    for (const name of this.#touched) {
      const control = this.#form.elements.namedItem(name);
      if (!(control instanceof HTMLElement)) continue;
      showFault(control, name, faults[name]);
      if (faults[name] !== undefined) faulty++;
    }
    this.#told(faulty);
  }
}

/** Tells the budget in messages for what the form says now. */
function tellBudget(form: HTMLFormElement): void {
  const place = document.getElementById("budget-words");
  const model = form.elements.namedItem("model") as HTMLSelectElement | null;
  const { inputUsd, outputUsd } = model?.selectedOptions[0]?.dataset ?? {};
  if (place === null) return;
  const { maxCostUsd = "", systemPrompt = "" } = valuesOf(form);
  place.textContent = budgetWords({
    price: inputUsd === undefined
      ? undefined
      : { inputUsdPerMTok: Number(inputUsd), outputUsdPerMTok: Number(outputUsd) },
    promptLength: systemPrompt.length,
    maxCostUsd: maxCostUsd.trim() === "" ? NaN : Number(maxCostUsd),
    hardDailyUsd: Number(place.dataset.hardDailyUsd),
  });
}
