import type { ComponentChildren } from "preact";
import type { FocusOnce } from "./focus_once.ts";

export interface FormProps {
  readonly look?: string;
  readonly part?: string;
  readonly onSave: (form: HTMLFormElement) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly children: ComponentChildren;
}

/** Fields, and below them buttons. */
export function Form({ look = "", part, onSave, onKeyDown, children }: FormProps) {
  return (
    <form
      class={`form ${look}`}
      part={part}
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        onSave(event.currentTarget);
      }}
    >
      {children}
    </form>
  );
}

export interface ActionProps {
  readonly label: string;
  readonly focus?: FocusOnce["ref"];
  /** Without, the button submits its form. */
  readonly onPress?: (event: Event) => void;
}

/** A button with a text. */
export function Action({ label, focus, onPress }: ActionProps) {
  return (
    <button
      type={onPress ? "button" : "submit"}
      class="retry"
      ref={focus ?? null}
      onClick={onPress}
    >
      {label}
    </button>
  );
}

/** What the visitor wrote into the first field. */
export function textIn(form: Element): string {
  return form.querySelector<HTMLInputElement>("input,textarea")!.value.trim();
}
